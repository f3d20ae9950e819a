//! A scenario is a tree and a question about it.

use crate::oracle::Question;
use crate::rivals::{Contender, Part, RIVALS};
use crate::tree::{Content, ENTRIES, PLACE, REACT_ENTRIES, Tree};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) job: &'static str,
    pub(crate) question: Question,
    tree: fn(u32) -> Tree,
    pub(crate) shape: &'static str,
    pub(crate) stands: Option<&'static str>,
    pub(crate) full: &'static [u32],
    pub(crate) quick: Option<Quick>,
    /// Whether only `quick` rivals take part, because building a tree takes longer than removing
    /// it.
    few: bool,
    /// Two tree sizes, so small that all programs use one thread. The difference gives the calls
    /// per unit.
    pub(crate) counted: [u32; 2],
    pub(crate) everywhere: bool,
    /// Whether contenders measure their own time, because an interpreter's startup would dominate.
    /// Their calls are not counted.
    pub(crate) times_itself: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Quick {
    pub(crate) size: u32,
    pub(crate) share: u32,
    pub(crate) in_readme: bool,
}

pub(crate) static SCENARIOS: [Scenario; 51] = [
    Scenario {
        quick: Some(quick(REACT_ENTRIES / 4, 18, true)),
        few: false,
        ..remove("remove", "remove node_modules", |size| Tree::react(size, Content::Empty))
    },
    remove("remove-344mib", "remove node_modules of 344 MiB", |size| {
        Tree::react(size, Content::Each((344 << 20) / 36_346))
    }),
    Scenario {
        full: &[50_000],
        ..remove("remove-flat-4k", "remove one directory of files with 4 KiB", |size| {
            Tree::flat(size, Content::Each(4096))
        })
    },
    Scenario {
        quick: Some(quick(10, 1, false)),
        full: &[10, 100, 1_000, 10_000, 100_000],
        everywhere: false,
        ..remove("remove-small", "remove small directories", |size| {
            Tree::small_directories(size / 4, Content::Empty)
        })
    },
    Scenario {
        quick: Some(quick(REACT_ENTRIES / 4, 9, true)),
        ..copy(["copy", "copy a tree", "copy"], false)
    },
    Scenario {
        tree: |size| Tree::small_directories(size / 4, CONTENT),
        shape: "small-content",
        full: &[10, 100, 1_000, 10_000, 100_000],
        everywhere: false,
        few: true,
        ..copy(["copy-scaling", "copy trees of every size", "copy"], false)
    },
    copy(["copy-links", "copy a tree as hard links", "copy-links"], true),
    Scenario {
        tree: |size| Tree::flat(size, Content::Each(1 << 30)).without_link(),
        shape: "large",
        full: &[1],
        counted: [0, 1],
        everywhere: false,
        ..copy(["copy-large", "copy a file of 1 GiB", "copy"], false)
    },
    Scenario {
        quick: Some(quick(20_000, 3, true)),
        ..flat(["list", "list a directory", "list"], Question::Paths)
    },
    Scenario {
        quick: Some(quick(20_000, 4, true)),
        ..flat(["list-long", "list it with -l", "list-long"], Question::Long)
    },
    Scenario {
        quick: Some(quick(20_000, 4, false)),
        full: &[40_000],
        counted: [100, 500],
        everywhere: false,
        ..flat(["stat", "stat files by name", "stat"], Question::Sizes)
    },
    Scenario {
        quick: Some(quick(REACT_ENTRIES / 2, 4, true)),
        ..react(["find", "find all paths", "find"], Question::Paths)
    },
    Scenario {
        quick: Some(quick(REACT_ENTRIES / 2, 4, true)),
        ..react(["find-sizes", "find with sizes", "find-sizes"], Question::Sizes)
    },
    react(["find-rules", "find and look for ignore rules", "find-rules"], Question::Paths),
    files(["find-files", "find all files", "find-files"]),
    files(["files-rules", "find files and look for ignore rules", "files-rules"]),
    sizes(["find-scaling", "find in trees of every size", "find"], Question::Paths),
    usr(["find-usr", "find all paths of /usr", "find"], Question::Paths),
    Scenario {
        quick: Some(quick(REACT_ENTRIES / 2, 4, true)),
        ..react(["du", "measure a tree", "du"], Question::Total)
    },
    sizes(["du-scaling", "measure trees of every size", "du"], Question::Total),
    usr(["du-usr", "measure /usr", "du"], Question::Total),
    Scenario {
        quick: Some(quick(100, 4, true)),
        ..which(["which", "find programs", "path-far"], PLACE, |size| {
            Tree::path(ENTRIES, PLACE, size)
        })
    },
    which(["which-first", "find programs at the head of PATH", "path-first"], 0, |size| {
        Tree::path(ENTRIES, 0, size)
    }),
    Scenario {
        quick: Some(quick(20_000, 3, false)),
        ..expand("expand", "make paths absolute", &[20_000])
    },
    Scenario {
        name: "beneath",
        title: "open beneath a root",
        job: "beneath",
        question: Question::Opened,
        tree: Tree::deep,
        shape: "deep",
        full: &[2_000],
        quick: Some(quick(500, 4, true)),
        counted: [10, 40],
        everywhere: false,
        ..COMMON
    },
    Scenario {
        times_itself: true,
        ..react(["python-rmtree", "remove node_modules in Python", "python-rmtree"], Question::Gone)
    },
    copy_itself(["python-copytree", "copy a tree in Python", "python-copytree"]),
    Scenario {
        times_itself: true,
        ..react(["python-walk", "walk a tree in Python", "python-walk"], Question::Paths)
    },
    Scenario {
        times_itself: true,
        full: &[3_580],
        ..flat(["python-stat", "stat a directory in Python", "python-stat"], Question::Long)
    },
    Scenario {
        job: "python-which",
        times_itself: true,
        full: &[100],
        ..which(["python-which", "find programs in Python", "path-10"], 9, |size| {
            Tree::path(10, 9, size)
        })
    },
    Scenario { times_itself: true, ..expand("python-abspath", "the same in Python", &[100]) },
    Scenario {
        times_itself: true,
        full: &[3_580],
        ..flat(["c-list", "list a directory in C", "c-list"], Question::Paths)
    },
    Scenario {
        times_itself: true,
        full: &[3_580],
        ..flat(["c-stat", "list it in C with stat", "c-stat"], Question::Sizes)
    },
    call("c-expand", "make a clean path absolute", CLEAN),
    call("c-expand-dots", "the same with dots", CLEAN),
    call("c-which", "find a program", "{tree}/package-00003/hello"),
    call("c-which-miss", "find no program", "missing"),
    call("c-rm-miss", "remove nothing", "missing"),
    call("ruby-expand-clean", "make a clean path absolute in Ruby", CLEAN),
    call("ruby-expand-dotted", "the same with dots", CLEAN),
    call("ruby-expand-relative", "make a relative path absolute", "{tree}/lib/http/response.rb"),
    Scenario {
        times_itself: true,
        everywhere: false,
        ..react(["ruby-rm", "remove node_modules in Ruby", "ruby-rm"], Question::Gone)
    },
    copy_itself(["ruby-cp", "copy a tree in Ruby", "ruby-cp"]),
    Scenario {
        times_itself: true,
        everywhere: false,
        ..react(["ruby-names", "all paths of a tree in Ruby", "ruby-names"], Question::Paths)
    },
    Scenario {
        times_itself: true,
        ..react(["node-rm", "remove node_modules in Node", "node-rm"], Question::Gone)
    },
    Scenario {
        times_itself: true,
        ..react(["node-rm-sync", "the same, until it is done", "node-rm-sync"], Question::Gone)
    },
    copy_itself(["node-cp", "copy a tree in Node", "node-cp"]),
    copy_itself(["node-cp-sync", "the same, until it is done", "node-cp-sync"]),
    node("node-readdir", "all paths of a tree in Node"),
    node("node-dirents", "the same with kinds"),
    node("node-fdir", "all paths beside fdir"),
];

const CLEAN: &str = "/usr/share/doc/ruby/examples/main.rb";

/// The size of a typical small file.
const CONTENT: Content = Content::Each(1_300);

const COMMON: Scenario = Scenario {
    name: "",
    title: "",
    job: "",
    question: Question::Gone,
    tree: |_| Tree::flat(0, Content::Empty),
    shape: "",
    stands: None,
    full: &[],
    quick: None,
    few: false,
    counted: [0, 500],
    everywhere: true,
    times_itself: false,
};

type Grow = fn(u32) -> Tree;
type Words = [&'static str; 3];

const fn quick(size: u32, share: u32, in_readme: bool) -> Quick {
    Quick { size, share, in_readme }
}

const fn remove(name: &'static str, title: &'static str, tree: Grow) -> Scenario {
    Scenario { name, title, job: "remove", tree, full: &[REACT_ENTRIES], few: true, ..COMMON }
}

const fn flat([name, title, job]: Words, question: Question) -> Scenario {
    let tree: Grow = |size| Tree::flat(size, Content::Some);
    Scenario { name, title, job, question, tree, shape: "flat", full: &[3_580, 40_000], ..COMMON }
}

const fn react([name, title, job]: Words, question: Question) -> Scenario {
    let tree: Grow = |size| Tree::react(size, Content::Some);
    Scenario { name, title, job, question, tree, shape: "react", full: &[REACT_ENTRIES], ..COMMON }
}

const fn copy(words: Words, is_linked: bool) -> Scenario {
    let tree: Grow = |size| Tree::react(size, CONTENT);
    Scenario { tree, shape: "react-content", ..react(words, Question::Copied { is_linked }) }
}

const fn copy_itself(words: Words) -> Scenario {
    Scenario { times_itself: true, everywhere: false, ..copy(words, false) }
}

const fn files(words: Words) -> Scenario {
    // Count with two sizes above 0, because ripgrep fails if the tree has no file.
    Scenario { counted: [500, 1_000], ..react(words, Question::Files) }
}

const fn node(name: &'static str, title: &'static str) -> Scenario {
    // Node's `readdir` would follow a symlink.
    let tree: Grow = |size| Tree::react(size, Content::Some).without_link();
    let common = react([name, title, name], Question::Paths);
    Scenario { tree, shape: "react-no-link", times_itself: true, ..common }
}

const fn sizes(words: Words, question: Question) -> Scenario {
    Scenario {
        tree: |size| Tree::small_directories(size / 4, Content::Some),
        shape: "small",
        full: &[10, 100, 1_000, 10_000, 100_000, 1_000_000],
        everywhere: false,
        few: true,
        ..react(words, question)
    }
}

const fn usr(words: Words, question: Question) -> Scenario {
    Scenario { stands: Some("/usr"), everywhere: false, few: true, ..react(words, question) }
}

const fn which([name, title, shape]: Words, place: usize, tree: Grow) -> Scenario {
    let question = Question::Found(place);
    let common = Scenario { full: &[400], counted: [5, 20], everywhere: false, ..COMMON };
    Scenario { name, title, job: "which", question, tree, shape, ..common }
}

const fn expand(name: &'static str, title: &'static str, full: &'static [u32]) -> Scenario {
    let tree: Grow = |_| Tree::flat(1, Content::Empty);
    let common = Scenario { tree, shape: "one", counted: [10, 500], everywhere: false, ..COMMON };
    Scenario { name, title, job: name, question: Question::Expanded, full, ..common }
}

const fn call(name: &'static str, title: &'static str, answer: &'static str) -> Scenario {
    let question = Question::Said(answer);
    let tree: Grow = |_| Tree::path(6, 3, 1);
    let common = Scenario { times_itself: true, everywhere: false, full: &[1], ..COMMON };
    Scenario { name, title, job: name, question, tree, shape: "path-6", ..common }
}

impl Scenario {
    pub(crate) fn reads(&self) -> bool {
        self.question != Question::Gone
    }

    pub(crate) fn units(&self, size: u32) -> u64 {
        match self.question {
            _ if self.stands.is_some() => size.into(),
            Question::Found(_) | Question::Expanded | Question::Said(_) => size.into(),
            Question::Opened => u64::from(size) * crate::roles::open::ROUNDS as u64,
            _ => self.grow(size).entries(),
        }
    }

    pub(crate) fn unit(&self) -> &'static str {
        match self.question {
            Question::Found(_) => "names",
            Question::Expanded => "paths",
            Question::Opened => "opens",
            Question::Said(_) => "calls",
            _ => "entries",
        }
    }

    pub(crate) fn grow(&self, size: u32) -> Tree {
        if size == 0 { Tree::flat(0, Content::Empty) } else { (self.tree)(size) }
    }

    pub(crate) fn contenders(&self) -> impl Iterator<Item = Contender> {
        let lines =
            RIVALS.iter().flat_map(|rival| rival.lines.iter().map(move |line| (rival, line)));
        let (job, few) = (self.job, self.few);
        let known = lines.filter(move |(_, line)| line.job == job);
        let wanted = known.filter(move |(_, line)| !few || line.quick || line.part != Part::Rival);
        wanted.map(|(rival, line)| Contender { rival, line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_scenario_has_its_own_name_one_curt_and_a_usual_tool() {
        let mut names = HashSet::new();
        for scenario in &SCENARIOS {
            assert!(names.insert(scenario.name), "{}", scenario.name);
            let parts: Vec<Part> = scenario.contenders().map(|one| one.line.part).collect();
            assert_eq!(parts[0], Part::Curt, "{}", scenario.name);
            assert_eq!(parts.iter().filter(|part| **part == Part::Curt).count(), 1);
            assert!(parts.contains(&Part::Usual), "{}", scenario.name);
            let names: HashSet<_> = scenario.contenders().map(|one| one.rival.name).collect();
            assert_eq!(names.len(), parts.len(), "{}", scenario.name);
            let [less, more] = scenario.counted.map(|size| scenario.units(size));
            assert!(less < more, "{}", scenario.name);
        }
    }

    #[test]
    fn every_command_line_answers_a_scenario() {
        let jobs: HashSet<_> = SCENARIOS.iter().map(|scenario| scenario.job).collect();
        for line in RIVALS.iter().flat_map(|rival| &rival.lines) {
            assert!(jobs.contains(line.job), "{}", line.job);
        }
    }
}
