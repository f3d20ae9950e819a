//! What is compared: a scenario is a tree, a question and the programs that answer it.
//!
//! All of them are constants in `scenarios/`. A new rival is one entry in a list of contenders, a
//! new scenario one value, in a file of `scenarios/` that is listed in `scenarios/mod.rs`.

use crate::oracle::{LookUp, Question};
use crate::real::Real;
use crate::tree::Tree;

/// One question about one kind of tree.
#[derive(Debug)]
pub(crate) struct Scenario {
    /// As `--only` takes it.
    pub(crate) name: &'static str,
    /// What is done, in words.
    pub(crate) title: &'static str,
    /// The tree for a size.
    pub(crate) tree: fn(u32) -> Tree,
    /// A tree that is on the machine already, instead.
    pub(crate) real: Option<Real>,
    /// Scenarios with the same shape share trees.
    pub(crate) shape: &'static str,
    /// What is asked; it decides which answers are right.
    pub(crate) question: Question,
    /// The sizes in a full run.
    pub(crate) full: &'static [u32],
    /// The report whose question this is (see [`Report`]), if one asked it.
    pub(crate) report: Option<Report>,
    /// Whether and how it takes part in a quick run.
    pub(crate) quick: Option<Quick>,
    /// How many directories a contender may have open at a time, if that is limited.
    pub(crate) limit: Option<u32>,
    /// Calls are the difference between runs on these sizes. They are small enough for one thread.
    pub(crate) counted: [u32; 2],
    /// Whether the filesystem matters. If not, one place is enough.
    pub(crate) everywhere: bool,
    /// Whether contenders measure themselves, and write to their standard error how many
    /// nanoseconds it took: the start of an interpreter would drown it. Calls are not counted.
    pub(crate) times_itself: bool,
    /// The programs, curt first.
    pub(crate) contenders: &'static [Contender],
}

/// The public reports that curt began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Report {
    /// Zig pull request 13073: removing a tree.
    Remove,
    /// A mail to Cygwin's list: listing a directory.
    List,
    /// Ruby bug 6836: expanding paths.
    Expand,
    /// libuv pull request 5120: looking programs up.
    LookUp,
}

/// How a scenario takes part in a quick run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quick {
    /// The size, unless the machine is too slow for it.
    pub(crate) size: u32,
    /// The share of the time.
    pub(crate) share: u32,
}

impl Scenario {
    /// What most scenarios have; no name, no tree and no contenders.
    pub(crate) const COMMON: Self = Self {
        name: "",
        title: "",
        tree: |_| Tree::empty(),
        real: None,
        shape: "",
        question: Question::Gone,
        full: &[],
        report: None,
        quick: None,
        limit: None,
        counted: [0, 500],
        everywhere: true,
        times_itself: false,
        contenders: &[],
    };

    /// Whether a run leaves the tree as it is.
    pub(crate) fn reads(&self) -> bool {
        self.question != Question::Gone
    }

    /// The name of the tree for a size.
    pub(crate) fn tree_name(&self, size: u32) -> String {
        match self.question {
            Question::Found(LookUp { repeats: true, .. }) => self.shape.to_owned(),
            _ => format!("{}-{size}", self.shape),
        }
    }

    /// How many things a run of this size does: entries, names or opens.
    pub(crate) fn units(&self, size: u32) -> u64 {
        match self.question {
            _ if self.real.is_some() => size.into(),
            Question::Found(_) | Question::Expanded => size.into(),
            Question::Opened => u64::from(size) * crate::roles::open::ROUNDS as u64,
            Question::Lengths(_) => 1,
            _ => self.grow(size).entries(),
        }
    }

    /// What those things are called.
    pub(crate) fn unit(&self) -> &'static str {
        match self.question {
            Question::Found(_) => "names",
            Question::Expanded | Question::Lengths(_) => "paths",
            Question::Opened => "opens",
            _ => "entries",
        }
    }

    /// The tree of this size; an empty directory for none.
    pub(crate) fn grow(&self, size: u32) -> Tree {
        if size == 0 { Tree::empty() } else { (self.tree)(size) }
    }
}

/// A program that answers: a command line.
#[derive(Debug)]
pub(crate) struct Contender {
    /// As it is shown.
    pub(crate) name: &'static str,
    /// Its part in the comparison.
    pub(crate) part: Part,
    /// How it is found.
    pub(crate) program: Program,
    /// Its arguments. See `command.rs` for what stands in braces.
    pub(crate) words: &'static [&'static str],
    /// The version, where the program does not tell it.
    pub(crate) version: &'static str,
    /// How to get it, where `cargo xtask rivals` is not enough.
    pub(crate) get: &'static str,
    /// Whether a quick run tries it.
    pub(crate) quick: bool,
}

/// A contender's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// curt as users get it.
    Curt,
    /// curt with options, for a full run.
    Variant,
    /// The tool that is usually used. Ratios refer to the first one found.
    Usual,
    /// Another program that does the same.
    Rival,
    /// The bare loop of calls.
    Baseline,
}

/// How a program is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The command that is measured.
    Curt,
    /// This program, in one of its roles.
    Own,
    /// A tool of Unix; what has its name on Windows is another one.
    Unix(&'static str),
    /// On PATH by the first of these names that is there.
    Tool(&'static [&'static str]),
    /// The command interpreter of Windows.
    Cmd,
    /// The file of this name that `cargo xtask rivals` built.
    Built(&'static str),
    /// An interpreter, by name and how to ask it for its own file: the one on PATH may be a
    /// version manager's script, which is slow.
    Interpreter(&'static str, &'static [&'static str]),
}

/// The sizes at which scaling is shown.
pub(crate) const SIZES: [u32; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

/// Python.
pub(crate) const PYTHON: Program =
    Program::Interpreter("python3", &["-c", "import sys; print(sys.executable)"]);
/// Node.
pub(crate) const NODE: Program = Program::Interpreter("node", &["-p", "process.execPath"]);
/// Ruby.
pub(crate) const RUBY: Program = Program::Interpreter("ruby", &["-e", "print RbConfig.ruby"]);

impl Contender {
    const fn new(
        name: &'static str,
        part: Part,
        program: Program,
        words: &'static [&'static str],
    ) -> Self {
        let quick = matches!(part, Part::Curt | Part::Usual);
        Self { name, part, program, words, version: "", get: "", quick }
    }

    /// The command.
    pub(crate) const fn curt(words: &'static [&'static str]) -> Self {
        Self::new("curt", Part::Curt, Program::Curt, words)
    }

    /// The library for another language, in a program that `cargo xtask rivals` built.
    pub(crate) const fn binding(
        name: &'static str,
        part: Part,
        program: Program,
        words: &'static [&'static str],
    ) -> Self {
        Self::new(name, part, program, words)
    }

    /// The library, in a role of this program.
    pub(crate) const fn library(words: &'static [&'static str]) -> Self {
        Self::new("curt", Part::Curt, Program::Own, words)
    }

    /// The command with other options.
    pub(crate) const fn variant(name: &'static str, words: &'static [&'static str]) -> Self {
        Self::new(name, Part::Variant, Program::Curt, words)
    }

    /// The usual tool.
    pub(crate) const fn usual(
        name: &'static str,
        program: Program,
        words: &'static [&'static str],
    ) -> Self {
        Self::new(name, Part::Usual, program, words)
    }

    /// Another program.
    pub(crate) const fn rival(
        name: &'static str,
        program: Program,
        words: &'static [&'static str],
    ) -> Self {
        Self::new(name, Part::Rival, program, words)
    }

    /// The bare loop of calls, in a role of this program.
    pub(crate) const fn baseline(words: &'static [&'static str]) -> Self {
        Self::own("baseline loop", Part::Baseline, words)
    }

    /// Something else to compare with, in a role of this program.
    pub(crate) const fn own(
        name: &'static str,
        part: Part,
        words: &'static [&'static str],
    ) -> Self {
        Self::new(name, part, Program::Own, words)
    }

    /// Lets it take part in a quick run.
    pub(crate) const fn quick(self) -> Self {
        Self { quick: true, ..self }
    }

    /// With the version that is built.
    pub(crate) const fn version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    /// With how to get it.
    pub(crate) const fn get(self, get: &'static str) -> Self {
        Self { get, ..self }
    }
}
