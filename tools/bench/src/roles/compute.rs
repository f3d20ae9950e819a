//! What is only computed, in one process, many times: the cost of a path without the start of a
//! program.
//!
//! Every contender is given the same base directories and paths. It joins each base with each path,
//! or checks the path, a number of times, then as often again by the clock. Its answer is the sum
//! of the lengths of one round, which the simplest code that is right confirms, and the nanoseconds
//! that one took.

use clap::ValueEnum;
use curt::paths::{DotDot, Env, Expander, Flavor, PathCheck};
use std::time::Instant;

/// What is expanded, or checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
    /// A path to be checked with nothing odd in it.
    Plain,
    /// One with dots in it.
    Dotted,
    /// One of sixteen names.
    Deep,
}

/// How often a run computes before it looks at the clock, and again until it looks next.
const TIMES: usize = 50_000;
/// The same for those that are interpreted.
const FEWER: usize = 20_000;

/// How many directories a load path has.
const ROOTS: usize = 9;

impl Work {
    /// As contenders and `curt-bench role compute` take it.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn flavor(self) -> Flavor {
        if self == Work::Windows { Flavor::Windows } else { Flavor::Posix }
    }

    /// What programs around other libraries are told to do.
    pub(crate) fn rival_flavor(self) -> &'static str {
        match self {
            Work::Windows => "windows",
            _ if self.check().is_some() => "beneath",
            _ => "posix",
        }
    }

    /// How it is checked, where it is not expanded.
    fn check(self) -> Option<PathCheck> {
        match self {
            Work::Plain | Work::Dotted | Work::Deep => Some(PathCheck::new(Flavor::Posix)),
            _ => None,
        }
    }

    /// What relative paths go on from, or stay beneath.
    pub(crate) fn bases(self) -> Vec<String> {
        match self {
            Work::Windows => vec![r"C:\Users\me\project".to_owned()],
            Work::Clean | Work::Dots | Work::Relative => vec!["/home/me/project".to_owned()],
            _ if self.check().is_some() => vec!["/srv/files".to_owned()],
            _ => (0..ROOTS).map(|root| format!("/usr/lib/ruby/vendor/{root}/lib")).collect(),
        }
    }

    pub(crate) fn paths(self) -> Vec<String> {
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
            Work::Plain => vec!["images/2024/summer/beach.jpeg".to_owned()],
            Work::Dotted => vec!["images/./2024/../2023/summer/beach.jpeg".to_owned()],
            Work::Deep => vec!["one/more/".repeat(7) + "of/sixteen"],
        }
    }

    /// How often a round computes.
    fn times(self) -> usize {
        self.bases().len() * self.paths().len()
    }

    /// How often everything is computed.
    pub(crate) fn rounds(self, is_quick: bool) -> usize {
        let times = if is_quick { TIMES } else { FEWER };
        (times / self.times()).max(1)
    }

    /// The sum of all lengths in one round, by lists of names.
    pub(crate) fn lengths(self) -> u64 {
        let is_windows = self.flavor() == Flavor::Windows;
        let full = |base: &str, path: &str| fold(base, path, is_windows).len();
        let (bases, paths) = (self.bases(), self.paths());
        if self.check().is_some() {
            // All of them stay beneath.
            return paths.iter().map(|path| path.len() as u64).sum();
        }
        let pairs = bases.iter().flat_map(|base| paths.iter().map(move |path| (base, path)));
        let sum: usize = pairs.map(|(base, path)| full(base, path)).sum();
        sum as u64
    }
}

/// The full path by lists of names: the simplest code that is right.
pub(crate) fn fold(base: &str, path: &str, is_windows: bool) -> String {
    let is_full = path.starts_with('/') || (is_windows && path.contains(':'));
    let text = if is_full { path.to_owned() } else { format!("{base}/{path}") };
    let mut names: Vec<&str> = Vec::new();
    for name in text.split(|letter| letter == '/' || (is_windows && letter == '\\')) {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let root = if is_windows { "" } else { "/" };
    format!("{root}{}", names.join("/"))
}

/// Computes, and answers the sum of the lengths in one round, and how many nanoseconds one took.
pub(super) fn play(work: Work) -> String {
    let rounds = work.rounds(true);
    let mut begin = None;
    let sum = played(work, 2 * rounds, |round| {
        if round == rounds {
            begin = Some(Instant::now());
        }
    });
    let seconds = begin.map_or(0.0, |begin| begin.elapsed().as_secs_f64());
    let each = seconds * 1e9 / (rounds * work.times()) as f64;
    format!("{} {each:.3}\n", sum / (2 * rounds) as u64)
}

/// What one took, in seconds, as the answer of a contender has it, or its standard error: the
/// nanoseconds are the second word.
pub(crate) fn own_time(answer: &[u8]) -> Option<f64> {
    let word = std::str::from_utf8(answer).ok()?.split_whitespace().nth(1)?;
    let nanoseconds: f64 = word.parse().ok()?;
    (nanoseconds > 0.0).then_some(nanoseconds / 1e9)
}

fn played(work: Work, rounds: usize, begins: impl FnMut(usize)) -> u64 {
    if let Some(check) = work.check() {
        return summed(work, rounds, begins, |_, path| match check.check(path) {
            Ok(()) => path.len(),
            Err(_) => 0,
        });
    }
    let expander = |base: String| {
        Expander::new(Env::none().cwd(base)).flavor(work.flavor()).dot_dot(DotDot::Clamp)
    };
    let expanders: Vec<Expander> = work.bases().into_iter().map(expander).collect();
    let mut buffer = Vec::new();
    summed(work, rounds, begins, |base, path| {
        if work == Work::Clean {
            return expanders[base].expand(path).map_or(0, |full| full.len());
        }
        let written = expanders[base].expand_into(path, &mut buffer);
        written.map_or(0, |()| buffer.len())
    })
}

/// What is answered for each base and path, that many times, added up.
fn summed(
    work: Work,
    rounds: usize,
    mut begins: impl FnMut(usize),
    mut answer: impl FnMut(usize, &[u8]) -> usize,
) -> u64 {
    let (bases, paths) = (work.bases().len(), work.paths());
    let mut sum = 0;
    for round in 0..rounds {
        begins(round);
        for base in 0..bases {
            for path in &paths {
                // What is opaque is computed again each time.
                sum += answer(base, std::hint::black_box(path.as_bytes())) as u64;
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_computed_is_what_the_simplest_code_says() {
        for &work in Work::value_variants() {
            assert_eq!(played(work, 1, |_| {}), work.lengths(), "{}", work.name());
            assert_eq!(Work::from_str(&work.name(), false), Ok(work));
        }
    }

    #[test]
    fn an_answer_says_the_sum_and_the_time() {
        let answer = play(Work::Enki);
        assert_eq!(answer.split(' ').next(), Some(Work::Enki.lengths().to_string().as_str()));
        assert!(own_time(answer.as_bytes()).is_some_and(|seconds| seconds < 1e-3));
        assert_eq!(own_time(b"12 1500.5"), Some(1500.5e-9));
        assert_eq!(own_time(b"took 1500"), Some(1500e-9));
        for none in ["", "12", "12 x", "12 0", "12 -1"] {
            assert_eq!(own_time(none.as_bytes()), None, "{none}");
        }
    }
}
