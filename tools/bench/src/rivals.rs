//! The programs that are compared, as `rivals.txt` has them.

use std::sync::LazyLock;

pub(crate) static RIVALS: LazyLock<Vec<Rival>> =
    LazyLock::new(|| parse(include_str!("rivals.txt")).unwrap_or_default());

#[derive(Debug)]
pub(crate) struct Rival {
    /// As it is shown.
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// The package that has it, where `cargo xtask rivals` is not enough.
    pub(crate) get: &'static str,
    /// What it is told for each job.
    pub(crate) lines: Vec<Line>,
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) job: &'static str,
    /// Its part in the comparison.
    pub(crate) part: Part,
    /// Whether a quick run tries it.
    pub(crate) quick: bool,
    pub(crate) words: &'static str,
}

/// A part in a comparison.
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
    Command,
    /// This program, in one of its roles.
    Own,
    /// What `cargo xtask rivals` built, or else on PATH, by the first of these names that is there.
    Path(&'static str),
    /// On PATH, on Unix only.
    Unix(&'static str),
    /// The same, on Windows only.
    Windows(&'static str),
    /// The file of this name that `cargo xtask rivals` built.
    Built(&'static str),
}

/// A program and what it is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contender {
    pub(crate) rival: &'static Rival,
    pub(crate) line: &'static Line,
}

fn parse(text: &'static str) -> Option<Vec<Rival>> {
    let mut rivals: Vec<Rival> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(line) = line.strip_prefix("  ") {
            let (part, rest) = line.split_once(' ')?;
            let (job, words) = rest.trim_start().split_once(' ')?;
            let words = words.trim_start();
            let quick = matches!(part, "curt" | "usual" | "quick");
            let part = match part {
                "curt" => Part::Curt,
                "variant" => Part::Variant,
                "usual" => Part::Usual,
                "rival" | "quick" => Part::Rival,
                "baseline" => Part::Baseline,
                _ => return None,
            };
            rivals.last_mut()?.lines.push(Line { job, part, quick, words });
            continue;
        }
        let (name, found) = line.split_once(": ")?;
        let (found, get) = found.split_once("; ").unwrap_or((found, ""));
        let program = match found.split_once(' ').unwrap_or((found, "")) {
            ("command", "") => Program::Command,
            ("own", "") => Program::Own,
            ("path", names) => Program::Path(names),
            ("unix", names) => Program::Unix(names),
            ("windows", names) => Program::Windows(names),
            ("built", name) => Program::Built(name),
            _ => return None,
        };
        rivals.push(Rival { name, program, get, lines: Vec::new() });
    }
    Some(rivals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_program_with_its_command_lines() {
        let fd = RIVALS.iter().find(|rival| rival.name == "fd").unwrap();
        assert_eq!((fd.program, fd.get), (Program::Path("fd fdfind"), ""));
        let [find, rules, ..] = fd.lines.as_slice() else { panic!("{fd:?}") };
        assert_eq!((find.job, find.part, find.words), ("find", Part::Rival, "-u . {tree}"));
        assert!(find.quick && rules.part == Part::Usual);
        for wrong in
            ["a", "a: other b", "  quick find x", "a: own\n  best find x", "a: own\n  quick"]
        {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
