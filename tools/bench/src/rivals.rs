use std::sync::LazyLock;

pub(crate) static RIVALS: LazyLock<Vec<Rival>> =
    LazyLock::new(|| parse(include_str!("rivals.txt")).unwrap_or_default());

#[derive(Debug)]
pub(crate) struct Rival {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// The package to install if `cargo xtask rivals` does not build the program.
    pub(crate) get: &'static str,
    pub(crate) lines: Vec<Line>,
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) job: &'static str,
    pub(crate) part: Part,
    pub(crate) quick: bool,
    pub(crate) words: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Curt,
    Variant,
    /// The first usual tool found is the reference for ratios.
    Usual,
    Rival,
    Baseline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Command,
    Own,
    Path(&'static str),
    Unix(&'static str),
    Windows(&'static str),
    Built(&'static str),
}

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
