//! Expanding paths, in one process, many times: what a path costs, without the start of a program.
//!
//! Everybody is given the same base directories and paths and joins each base with each path, so many
//! times, and then as often again by the clock; what they answer is the sum of the lengths, which the
//! simplest code that is right confirms, and what one expansion took.

use super::answer::Question;
use super::contender::{Contender, Found, built_rivals};
use super::operation::{Operation, Scenario};
use super::tree::{Content, Tree};
use curt::{DotDot, Env, Expander, Flavor};
use std::path::Path;
use std::time::Instant;

/// The table of expansions.
pub(crate) static OPERATION: Operation = Operation {
    name: "expand",
    title: "curt::Expander: full paths by text alone",
    reference: "path-clean",
    scenarios: &[
        scenario(Work::Clean, 4),
        scenario(Work::Dots, 4),
        scenario(Work::Relative, 4),
        scenario(Work::Windows, 2),
        scenario(Work::Flat, 2),
        scenario(Work::Nested, 1),
        scenario(Work::Rails, 1),
        scenario(Work::Enki, 1),
    ],
    contenders,
    describe: |_| "nothing on disk: paths are made up".to_owned(),
    notes: &[
        "clean: a full path as it should be. dots: ten parts, four of them dots. relative: to a directory",
        "that is given to all. windows: a Windows path with slashes and dots. flat, nested, rails, enki: what 100,",
        "100, 772 and 1,146 requires ask for: each feature below each of nine roots of a load path.",
        "go: filepath.Clean, or Join. node: path.resolve, path.win32.resolve. python: normpath(join(…)) of posixpath",
        "and ntpath, which is os.path.abspath with the directory given. ruby: File.expand_path with a base.",
        "The crate normpath is left out: on Unix it asks the file system, and fails for what is not there.",
        "Calls are not counted here: see crates/curt-cli/tests/calls/expand.rs.",
    ],
};

const fn scenario(work: Work, quick: u32) -> Scenario {
    Scenario {
        name: work.name(),
        make: |_| Tree::flat(1, Content::Empty),
        shape: "one",
        question: Question::Lengths(work),
        quick: (quick, 0),
        counts_whole: true,
    }
}

/// What is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Work {
    /// A full path as it should be.
    Clean,
    /// Ten parts, four of them dots.
    Dots,
    /// A path that goes on from a directory.
    Relative,
    /// A Windows path.
    Windows,
    /// A hundred features in one directory.
    Flat,
    /// A hundred features five directories down.
    Nested,
    /// The features of an empty Rails application.
    Rails,
    /// Those of a large one.
    Enki,
}

/// How often a run expands before it looks at the clock, and again until it looks anew.
const EXPANSIONS: usize = 200_000;

/// Those that are interpreted expand less often.
const FEWER: usize = 10;

/// How many directories a load path has.
const ROOTS: usize = 9;

impl Work {
    const fn name(self) -> &'static str {
        match self {
            Work::Clean => "clean",
            Work::Dots => "dots",
            Work::Relative => "relative",
            Work::Windows => "windows",
            Work::Flat => "flat",
            Work::Nested => "nested",
            Work::Rails => "rails",
            Work::Enki => "enki",
        }
    }

    fn flavor(self) -> Flavor {
        if self == Work::Windows { Flavor::Windows } else { Flavor::Posix }
    }

    /// What relative paths go on from.
    fn bases(self) -> Vec<String> {
        match self {
            Work::Windows => vec![r"C:\Users\me\project".to_owned()],
            Work::Clean | Work::Dots | Work::Relative => vec!["/home/me/project".to_owned()],
            _ => (0..ROOTS).map(|root| format!("/usr/lib/ruby/vendor/{root}/lib")).collect(),
        }
    }

    fn paths(self) -> Vec<String> {
        let features = |count: usize, folder: &str| {
            (0..count).map(|feature| format!("{folder}feature{feature}.rb")).collect()
        };
        match self {
            Work::Clean => vec!["/usr/lib/x86_64-linux-gnu/ruby/3.3.0/rbconfig.rb".to_owned()],
            Work::Dots => vec!["/usr/./lib/../share/doc/./ruby/../examples/main.rb".to_owned()],
            Work::Relative => vec!["lib/net/http/response.rb".to_owned()],
            Work::Windows => vec![r"C:/Users/me\project\.\lib\..\src/main.rs".to_owned()],
            Work::Flat => features(100, ""),
            Work::Nested => features(100, "a/b/c/d/e/"),
            Work::Rails => features(772, "active_support/core_ext/"),
            Work::Enki => features(1146, "app/models/concerns/"),
        }
    }

    /// How many expansions a round has.
    fn expansions(self) -> usize {
        self.bases().len() * self.paths().len()
    }

    /// How often everything is expanded.
    fn rounds(self, is_quick: bool) -> usize {
        let expansions = if is_quick { EXPANSIONS } else { EXPANSIONS / FEWER };
        (expansions / self.expansions()).max(1)
    }

    /// The sum of all lengths in one round, by lists of names.
    pub(super) fn lengths(self) -> u64 {
        let is_windows = self.flavor() == Flavor::Windows;
        let full = |base: &str, path: &str| {
            let is_full = path.starts_with('/') || path.contains(':');
            let text = if is_full { path.to_owned() } else { format!("{base}/{path}") };
            let mut names: Vec<&str> = Vec::new();
            for name in text.split(|letter| letter == '/' || (is_windows && letter == '\\')) {
                match name {
                    "" | "." => {}
                    ".." => drop(names.pop()),
                    name => names.push(name),
                }
            }
            let letters: usize = names.iter().map(|name| name.len() + 1).sum();
            letters - usize::from(is_windows)
        };
        let (bases, paths) = (self.bases(), self.paths());
        let pairs = bases.iter().flat_map(|base| paths.iter().map(move |path| (base, path)));
        let sum: usize = pairs.map(|(base, path)| full(base, path)).sum();
        sum as u64
    }
}

/// Expands, and answers the sum of the lengths in one round, and how many nanoseconds an expansion took.
pub(super) fn play(work: Work) -> String {
    let rounds = work.rounds(true);
    let mut begin = None;
    let sum = played(work, 2 * rounds, |round| {
        if round == rounds {
            begin = Some(Instant::now());
        }
    });
    let seconds = begin.map_or(0.0, |begin| begin.elapsed().as_secs_f64());
    let each = seconds * 1e9 / (rounds * work.expansions()) as f64;
    format!("{} {each:.3}\n", sum / (2 * rounds) as u64)
}

/// What one expansion took, in seconds, as the answer of a contender has it.
pub(super) fn own_time(answer: &[u8]) -> Option<f64> {
    let word = std::str::from_utf8(answer).ok()?.split_whitespace().nth(1)?;
    let nanoseconds: f64 = word.parse().ok()?;
    (nanoseconds > 0.0).then_some(nanoseconds / 1e9)
}

fn played(work: Work, rounds: usize, mut begins: impl FnMut(usize)) -> u64 {
    let expander = |base: String| {
        Expander::with_env(Env::none().cwd(base)).flavor(work.flavor()).dot_dot(DotDot::Clamp)
    };
    let expanders: Vec<Expander> = work.bases().into_iter().map(expander).collect();
    let paths = work.paths();
    let mut sum = 0;
    let mut buffer = Vec::new();
    for round in 0..rounds {
        begins(round);
        for expander in &expanders {
            for path in &paths {
                // What is opaque is computed anew each time.
                let path = std::hint::black_box(path.as_bytes());
                sum += if work == Work::Clean {
                    expander.expand(path).map_or(0, |full| full.len())
                } else {
                    let written = expander.expand_into(path, &mut buffer);
                    written.map_or(0, |()| buffer.len())
                } as u64;
            }
        }
    }
    sum
}

/// What `cargo xtask rivals` builds: the name, whether it knows Windows paths, whether it is compiled.
const RIVALS: [(&str, bool, bool); 8] = [
    ("path-clean", false, true),
    ("path-absolutize", false, true),
    ("typed-path", true, true),
    ("std", false, true),
    ("go", false, true),
    ("node", true, false),
    ("python", true, false),
    ("ruby", false, false),
];

fn contenders(scenario: &Scenario, program: &Path) -> Found {
    let mut found = Found::default();
    let Question::Lengths(work) = scenario.question else {
        return found;
    };
    let ours = ["bench", "--role", "expand", "--work", work.name(), "--"];
    found.add(Contender::new("curt", program, &ours));
    let programs = built_rivals("expand");
    let flavor = if work.flavor() == Flavor::Windows { "windows" } else { "posix" };
    let (bases, paths) = (work.bases().join("|"), work.paths().join("|"));
    for (name, knows_windows, is_quick) in RIVALS {
        let Some((_, program)) = programs.iter().find(|(rival, _)| rival == name) else {
            found.miss(name, "cargo xtask rivals");
            continue;
        };
        if work != Work::Windows || knows_windows {
            let rounds = work.rounds(is_quick).to_string();
            found.add(Contender::new(name, program, &[flavor, &rounds, &bases, &paths]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{OPERATION, Question, Work, own_time, play, played};

    #[test]
    fn what_is_expanded_is_what_lists_of_names_say() {
        for scenario in OPERATION.scenarios {
            let Question::Lengths(work) = scenario.question else { panic!("{}", scenario.name) };
            assert_eq!(played(work, 1, |_| {}), work.lengths(), "{}", scenario.name);
        }
    }

    #[test]
    fn an_answer_says_the_sum_and_the_time() {
        let answer = play(Work::Enki);
        assert_eq!(answer.split(' ').next(), Some(Work::Enki.lengths().to_string().as_str()));
        assert!(own_time(answer.as_bytes()).is_some_and(|seconds| seconds < 1e-3));
        assert_eq!(own_time(b"12 1500.5"), Some(1500.5e-9));
        for none in ["", "12", "12 x", "12 0", "12 -1"] {
            assert_eq!(own_time(none.as_bytes()), None, "{none}");
        }
    }
}
