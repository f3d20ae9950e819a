//! The same for looking up and starting programs: what a command makes more calls for where `PATH`
//! has more directories, where it is asked about more names, or where it starts a program more
//! often.

use super::relay::{self, Counts};
use super::rivals;
use super::rows::{self, Row, Run, SIZES, run_all};
use crate::host::{self, Failure, Outcome};
use crate::say;
use crate::windows::{TARGET, Windows};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder on drive C: with all directories.
const PLACE: &str = "lookups";

/// The extensions of a usual Windows.
const ELEVEN: &str = ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC";
/// Those that need nothing registered, and those that libuv tries.
const FOUR: &str = ".COM;.EXE;.BAT;.CMD";
const TWO: &str = ".COM;.EXE";

/// How often a program is started, and behind how many directories that do not hold it.
const STARTS: [usize; 2] = [2, 4];
const MISSED: [usize; 2] = [16, 48];

/// The kinds of directories: missing, without a match, with a name that begins like the program,
/// with more such names than one buffer holds, and with the program.
#[derive(Clone, Copy)]
enum Kind {
    Gone,
    Miss,
    Like,
    Crowd,
    Hit,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Gone => "gone",
            Kind::Miss => "miss",
            Kind::Like => "like",
            Kind::Crowd => "crowd",
            Kind::Hit => "hit",
        }
    }

    fn files(self) -> Vec<String> {
        match self {
            Kind::Gone => Vec::new(),
            Kind::Miss => vec!["other.exe".to_owned()],
            Kind::Like => vec!["program-1.exe".to_owned()],
            Kind::Crowd => (0..60).map(|number| format!("program-{number:03}.exe")).collect(),
            Kind::Hit => vec!["program.exe".to_owned()],
        }
    }

    /// The first directories of a kind, as Windows calls them.
    fn directories(self, count: usize) -> Vec<String> {
        (0..count).map(|number| format!(r"C:\{PLACE}\{}\{number:03}", self.name())).collect()
    }
}

/// Compares the calls of `curt which` and `curt run` with their snapshots; what is wrong.
pub(super) fn check(windows: &Windows, curt: &Path) -> Result<Vec<String>, Failure> {
    plant(windows)?;
    fs::copy(beside(windows, curt), at(windows, "last/program.exe"))?;
    let which = rows::check(windows, PLACE, "which", which_rows(curt))?;
    let run = rows::check(windows, PLACE, "run", run_rows(curt))?;
    Ok(which.into_iter().chain(run).collect())
}

/// Looking up: directories of each kind, and names.
fn which_rows(curt: &Path) -> Vec<Row> {
    let which = |pathext: &str, kind: Kind, size: usize, names: &[String], status| {
        let path = kind.directories(size).join(";");
        let words = ["which", "--stats", "--json", "--pathext", pathext, "--path", &path, "--"];
        let words = words.iter().map(ToString::to_string).chain(names.iter().cloned());
        Run { program: curt.to_owned(), arguments: words.collect(), path: Vec::new(), status }
    };
    let row = |what: &str, make: &dyn Fn(usize) -> Run| Row {
        what: what.to_owned(),
        runs: SIZES.map(make),
        counts_itself: true,
    };
    let program = ["program".to_owned()];
    let many: Vec<String> = (0..16).map(|number| format!("name-{number}")).collect();
    let directories = |pathext: &'static str, kind: Kind| {
        let program = program.clone();
        move |size: usize| which(pathext, kind, size, &program, "1")
    };
    vec![
        row("absent directories more, 11 extensions", &directories(ELEVEN, Kind::Gone)),
        row("directories without a match more, 11 extensions", &directories(ELEVEN, Kind::Miss)),
        row("the same, 4 extensions", &directories(FOUR, Kind::Miss)),
        row("the same, 2 extensions", &directories(TWO, Kind::Miss)),
        row("the same with a look-alike, 11 extensions", &directories(ELEVEN, Kind::Like)),
        row("the same with 60 look-alikes, 4 extensions", &directories(FOUR, Kind::Crowd)),
        row("the same with 60 look-alikes, 11 extensions", &directories(ELEVEN, Kind::Crowd)),
        row("directories without a match more, for 16 names at once", &|size| {
            which(ELEVEN, Kind::Miss, size, &many, "1")
        }),
        row("hits more, 11 extensions", &|size| {
            let names = Kind::Hit.directories(size);
            let names: Vec<String> =
                names.iter().map(|directory| format!(r"{directory}\program")).collect();
            which(ELEVEN, Kind::Gone, 0, &names, "0")
        }),
    ]
}

/// Starting: directories on the way to the program.
fn run_rows(curt: &Path) -> Vec<Row> {
    let run = |kind: Kind, size: usize| {
        let mut path = kind.directories(size);
        path.push(format!(r"C:\{PLACE}\last"));
        let path = path.join(";");
        let words = ["run", "--pathext", ELEVEN, "--path", &path, "--", "program", "--version"];
        Run {
            program: curt.to_owned(),
            arguments: words.map(str::to_owned).to_vec(),
            path: Vec::new(),
            status: "0",
        }
    };
    let row = |what: &str, kind: Kind| Row {
        what: what.to_owned(),
        runs: SIZES.map(|size| run(kind, size)),
        counts_itself: false,
    };
    vec![
        row("absent directories more on the way to the program", Kind::Gone),
        row("directories without a match more on the way to the program", Kind::Miss),
    ]
}

/// Prints the table of starts by name, in Markdown.
pub(super) fn table(windows: &Windows) -> Outcome {
    plant(windows)?;
    let mut absent = Vec::new();
    let mut contenders = vec![];
    let example = example(windows)?;
    for (name, option) in [("curt", None), ("curt, a session", Some("--session"))] {
        contenders.push((name, example.clone(), ByName::Words(option)));
    }
    for rival in rivals::STARTERS {
        say::err(format_args!("native-calls: building {}", rival.folder));
        match rivals::build(windows, rival) {
            Ok(program) => contenders.push((rival.name, program, ByName::Words(None))),
            Err(reason) => absent.push(format!("not built: {}: {reason}", rival.name)),
        }
    }
    let started = contenders.iter().find(|(name, ..)| *name == "Rust std");
    let Some((_, started, _)) = started else {
        return Err(Failure::new(absent.join("\n")));
    };
    fs::copy(beside(windows, started), at(windows, "last/hello.exe"))?;
    // By its path: a name is started by another program of Wine's.
    let cmd = windows.inside(&Windows::on_drive_c("windows/system32/cmd.exe"));
    contenders.push(("Wine's cmd.exe", cmd, ByName::Loop));
    let runs: Vec<Run> =
        contenders.iter().flat_map(|(_, program, how)| starts(program, *how)).collect();
    say::out(
        "| | per start | | per missed directory | | per absent directory | |\n|---|---|---|---|---|---|---|",
    );
    let all: Vec<Result<Counts, String>> = run_all(windows, PLACE, &runs)?
        .into_iter()
        .map(|seen| seen.map(|seen| seen.calls))
        .collect();
    for ((name, ..), seen) in contenders.iter().zip(all.chunks(6)) {
        match seen.iter().map(Result::as_ref).collect::<Result<Vec<&Counts>, &String>>() {
            Ok(counts) => say::out(start_row(name, &counts)),
            Err(reason) => absent.push(format!("not counted: {name}: {reason}")),
        }
    }
    absent.iter().for_each(say::out);
    Ok(())
}

/// How a contender is told how often to start what.
#[derive(Clone, Copy)]
enum ByName {
    /// The number and the name, and what may come behind.
    Words(Option<&'static str>),
    /// A loop of cmd.exe.
    Loop,
}

/// The runs of a contender: twice two numbers of starts behind missed directories, and once behind
/// absent ones.
fn starts(program: &Path, how: ByName) -> Vec<Run> {
    let one = |kind: Kind, missed: usize, count: usize| {
        let mut path = kind.directories(missed);
        path.push(format!(r"C:\{PLACE}\last"));
        let arguments = match how {
            ByName::Words(more) => {
                let words =
                    [Some(count.to_string()), Some("hello".to_owned()), more.map(str::to_owned)];
                words.into_iter().flatten().collect()
            }
            ByName::Loop => {
                vec!["/c".to_owned(), format!("for /L %i in (1,1,{count}) do @hello")]
            }
        };
        Run { program: program.to_owned(), arguments, path, status: "0" }
    };
    let [few, many] = MISSED;
    let shapes = [(Kind::Miss, few), (Kind::Miss, many), (Kind::Gone, many)];
    shapes.iter().flat_map(|&(kind, missed)| STARTS.map(|count| one(kind, missed, count))).collect()
}

/// A line of the table, from the six runs.
fn start_row(name: &str, seen: &[&Counts]) -> String {
    let &[few_less, few_more, less, more, gone_less, gone_more] = seen else {
        return String::new();
    };
    let [few, many] = MISSED.map(|count| count as f64);
    let times = (STARTS[1] - STARTS[0]) as f64;
    let per_start =
        |less: &Counts, more: &Counts| scaled(&relay::difference(more, less), 1.0 / times);
    let (near, far, gone) =
        (per_start(few_less, few_more), per_start(less, more), per_start(gone_less, gone_more));
    let missed = combined(&far, 1.0, &near, -1.0, 1.0 / (many - few));
    let start = combined(&near, 1.0, &missed, -few, 1.0);
    let absent = combined(&gone, 1.0, &start, -1.0, 1.0 / many);
    let cells = [&start, &missed, &absent].map(|calls| rivals::cells(calls));
    format!("| {name} | {} |", cells.join(" | "))
}

type Rates = Vec<(String, f64)>;

fn scaled(counts: &Counts, by: f64) -> Rates {
    counts.iter().map(|(name, &count)| (name.clone(), count as f64 * by)).collect()
}

/// Two rates added, each times a number, and the sum times another.
fn combined(one: &Rates, times: f64, other: &Rates, other_times: f64, by: f64) -> Rates {
    let mut names: Vec<&String> = one.iter().chain(other).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let of = |rates: &Rates, name: &String| {
        rates.iter().find(|(known, _)| known == name).map_or(0.0, |&(_, rate)| rate)
    };
    let sum = |name: &String| (of(one, name) * times + of(other, name) * other_times) * by;
    names.into_iter().map(|name| (name.clone(), sum(name))).collect()
}

/// Makes the directories; those of a kind are all alike.
fn plant(windows: &Windows) -> Outcome {
    let place = rows::clear(windows, PLACE)?;
    fs::create_dir_all(place.join("last"))?;
    for kind in [Kind::Miss, Kind::Like, Kind::Crowd, Kind::Hit] {
        for number in 0..SIZES[1] {
            let directory = place.join(kind.name()).join(format!("{number:03}"));
            fs::create_dir_all(&directory)?;
            for file in kind.files() {
                fs::write(directory.join(file), "")?;
            }
        }
    }
    Ok(())
}

/// A path below the place, for the host.
fn at(windows: &Windows, path: &str) -> PathBuf {
    windows.outside(&Windows::on_drive_c(PLACE)).join(path)
}

/// The path on the host of a program that Wine knows by its path inside.
fn beside(windows: &Windows, program: &Path) -> PathBuf {
    let below = program.strip_prefix(windows.inside("")).unwrap_or(program);
    windows.outside(&below.to_string_lossy())
}

/// The example that starts a program by its name.
fn example(windows: &Windows) -> Result<PathBuf, Failure> {
    let words =
        ["build", "--quiet", "--release", "--package", "curt", "--example", "start_by_name"];
    host::check(&mut windows.command(&windows.cargo(&words))?)?;
    Ok(windows.inside(&format!("target/{TARGET}/release/examples/start_by_name.exe")))
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::counts;
    use super::*;

    #[test]
    fn starts_and_directories_are_told_apart() {
        // 7 opens for the program itself, 5 for a start, 3 for a missed directory, 1 for an absent
        // one.
        let seen =
            |starts: i64, missed: i64, each: i64| counts(7 + starts * (5 + missed * each), starts);
        let all = [
            seen(2, 16, 3),
            seen(4, 16, 3),
            seen(2, 48, 3),
            seen(4, 48, 3),
            seen(2, 48, 1),
            seen(4, 48, 1),
        ];
        let row = start_row("x", &all.iter().collect::<Vec<_>>());
        let wanted =
            "| x | 6 | NtCreateUserProcess, 5 NtOpenFile | 3 | 3 NtOpenFile | 1 | NtOpenFile |";
        assert_eq!(row, wanted);
    }
}
