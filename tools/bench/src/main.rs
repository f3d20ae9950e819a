//! `curt-bench` compares curt with the programs that people would otherwise use.
//!
//! | file | content |
//! |---|---|
//! | `main.rs`, `options.rs` | command line, plan |
//! | `scenario.rs`, `rivals.rs` | trees and questions; programs and their command lines |
//! | `oracle.rs` | right answers |
//! | `programs.rs`, `command.rs` | finding programs; command lines for a run |
//! | `measure.rs`, `process.rs`, `calls.rs`, `stats.rs` | runs, processes, counted calls, medians |
//! | `tree.rs`, `react.rs`, `ground.rs` | sample trees, new and reused |
//! | `place.rs`, `sandbox.rs` | filesystems; the guard before every removal |
//! | `result.rs`, `report/`, `compare.rs` | results, reports, comparison of two runs |
//! | `proofs.rs` | reproductions of reports, with curt inside |
//! | `roles/` | contenders inside this program: the baseline loop, the library |
//! | `progress.rs` | progress display, Ctrl-C |

mod calls;
mod command;
mod compare;
mod ground;
mod measure;
mod options;
mod oracle;
mod place;
mod process;
mod programs;
mod progress;
mod proofs;
mod react;
mod report;
mod result;
mod rivals;
mod roles;
mod sandbox;
mod scenario;
mod stats;
mod tree;

use clap::Parser as _;
use measure::{Bench, Effort};
use options::Options;
use place::{Kind, Place};
use programs::Programs;
use progress::{Interrupt, note, stage};
use report::Report;
use result::Cell;
use rivals::Part;
use sandbox::Sandbox;
use scenario::{SCENARIOS, Scenario};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == "role") {
        let begin = Instant::now();
        let played = roles::play(&words[1..]);
        if played.is_ok() {
            let _ = writeln!(io::stderr(), "took {}", begin.elapsed().as_nanos());
        }
        return exit(played.map(|()| true));
    }
    let options = Options::parse();
    if options.list {
        return exit(list().map(|()| true));
    }
    if let Some(wrong) = options.wrong() {
        note(&format!("curt-bench: {wrong}"));
        return ExitCode::from(2);
    }
    let interrupt = Interrupt::catch();
    let outcome = run(&options, &interrupt);
    interrupt.end();
    exit(outcome)
}

fn exit(outcome: io::Result<bool>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("curt-bench: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options, interrupt: &Interrupt) -> io::Result<bool> {
    let old = [&options.compare, &options.check].map(|path| path.as_deref().map(compare::read));
    let [compared, checked] = old.map(Option::transpose);
    let (compared, checked) = (compared?, checked?);
    options.outputs().try_for_each(writable)?;
    options.readme.iter().try_for_each(|path| report::check(path))?;
    let proofs = if options.reports { proofs::run(interrupt)? } else { Vec::new() };
    let report = Report { proofs, ..measure(options, interrupt)? };
    if interrupt.wanted() {
        note("curt-bench: interrupted; everything it made is removed");
    }
    let results = report::json(&report);
    let render = if options.is_quick() { report::quick } else { report::full };
    let mut text = String::new();
    for proof in &report.proofs {
        let _ = writeln!(text, "{}\n\n{}\n", proof.title, proof.text());
    }
    if !report.cells.is_empty() || !options.reports {
        text.push_str(&render(&report));
    }
    if let Some(old) = &compared {
        let _ = write!(text, "\n{}", compare::table(old, &results));
    }
    let mut is_good = report.cells.iter().all(Cell::is_right);
    is_good &= report.proofs.iter().all(proofs::Proof::is_good);
    let wanted = |name: &str| SCENARIOS.iter().any(|one| one.name == name && options.wants(one));
    for line in checked.iter().flat_map(|baseline| compare::worse(baseline, &results, wanted)) {
        is_good = false;
        let _ = writeln!(text, "worse than the baseline: {line}");
    }
    let mut out = io::stdout().lock();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(path) = &options.json {
        std::fs::write(path, format!("{results:#}\n"))?;
    }
    if let Some(path) = &options.html {
        std::fs::write(path, report::page(&report))?;
    }
    if let Some(path) = options.readme.as_ref().filter(|_| !interrupt.wanted()) {
        report::update(&report, path)?;
    }
    match printed {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(is_good),
        printed => printed.map(|()| is_good),
    }
}

fn writable(path: &Path) -> io::Result<()> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    opened.map(drop).map_err(|error| named(path, &error))
}

fn named(path: &Path, error: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

/// A full run ends a scenario after this time if it has the minimum of rounds. Otherwise trees of a
/// million entries would take most of the run.
const FULL: Duration = Duration::from_secs(12);
/// On a busy machine, a quick run may take this many times as long, to make enough rounds.
const BUSY: u32 = 3;

fn measure(options: &Options, interrupt: &Interrupt) -> io::Result<Report> {
    let programs = Programs::find()?;
    let machine = report::machine(&programs);
    let date = jiff::Timestamp::now().strftime("%-d %B %Y").to_string();
    let (places, mut left_out) = places(options)?;
    let (begin, seconds) = (Instant::now(), Duration::from_secs(options.seconds.into()));
    let scratch = Sandbox::create(&place::memory().unwrap_or_else(std::env::temp_dir))?;
    let folders = places.iter().map(|place| place.sandbox.root()).chain([scratch.root()]);
    let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
    note(&format!("curt-bench: working in {}, removed at the end", folders.join(", ")));
    let bench = Bench {
        scratch,
        ground: ground::Ground::default(),
        strace: calls::strace(),
        interrupt: interrupt.clone(),
        cold: options.cold,
        is_quick: options.is_quick(),
        latest: begin + BUSY * seconds,
        slopes: std::cell::RefCell::default(),
    };
    let (plan, end) = (plan(options, &places), begin + seconds);
    let mut missing = BTreeMap::new();
    let (mut cells, mut late) = (Vec::new(), Vec::new());
    for (done, step) in plan.iter().enumerate() {
        if interrupt.wanted() {
            break;
        }
        let &Step { scenario, place, size, .. } = step;
        let now = Instant::now();
        let time = end.saturating_duration_since(now);
        let effort = match options.rounds {
            _ if options.calls => Effort::Calls,
            Some(rounds) => Effort::Rounds(rounds),
            None if !options.is_quick() => Effort::Within(FULL),
            None if now < bench.latest => {
                let rest: u32 = plan[done..].iter().map(Step::share).sum();
                Effort::Until(now + time * step.share() / rest)
            }
            None if options.check.is_some() => Effort::Calls,
            None => {
                late.push(step.name());
                continue;
            }
        };
        stage(&format!("[{}/{}] {}", done + 1, plan.len(), step.name()));
        let admits = |contender: &_| options.admits(contender);
        let contenders = programs.of(scenario, admits, &mut missing);
        if !contenders.iter().any(|found| found.contender.line.part == Part::Curt) {
            left_out.push(format!("{}: curt is not built for it", step.name()));
            continue;
        }
        match bench.cell(scenario, place, size, &contenders, effort)? {
            Ok(cell) => {
                late.extend((options.is_quick() && !cell.has_times()).then(|| step.name()));
                cells.push(cell);
            }
            Err(why) => left_out.push(format!("{}: {why}", step.name())),
        }
    }
    stage("cleaning up");
    if bench.strace.is_none() && cfg!(target_os = "linux") {
        missing.insert("strace", "strace");
    }
    drop(bench);
    drop(places);
    stage("");
    let (cold, proofs) = (options.cold, Vec::new());
    Ok(Report { proofs, cells, late, left_out, missing, date, machine, cold })
}

struct Step<'a> {
    scenario: &'static Scenario,
    place: &'a Place,
    size: u32,
    /// 0 for the first measurement of a scenario, otherwise the index of the place.
    group: usize,
}

impl Step<'_> {
    fn name(&self) -> String {
        format!("{} on {}", self.scenario.name, self.place.name)
    }

    fn share(&self) -> u32 {
        let share = self.scenario.quick.map_or(1, |quick| quick.share);
        if self.group == 0 { 2 * share } else { share }
    }
}

/// Plans the scenarios for every place in the first place, then the scenarios for one place, in
/// memory if possible, and last the remaining places.
fn plan<'a>(options: &Options, places: &'a [Place]) -> Vec<Step<'a>> {
    let is_quick = options.is_quick();
    let steps = |scenario: &'static Scenario, place: &'a Place, group| {
        let quick = scenario.quick.filter(|_| is_quick).map(|quick| quick.size);
        let full = if options.calls { &scenario.full[..1] } else { scenario.full };
        let sizes = quick.map_or_else(|| full.to_vec(), |size| vec![size]);
        let step = move |size| Step { scenario, place, size, group };
        sizes.into_iter().map(step)
    };
    let wanted = || SCENARIOS.iter().filter(|scenario| options.wants(scenario));
    let on = |place, everywhere, group| {
        let wanted = wanted().filter(move |one| one.everywhere == everywhere);
        wanted.flat_map(move |one| steps(one, place, group))
    };
    let memory = places.iter().find(|place| place.kind == Kind::Memory);
    let mut plan: Vec<Step<'_>> = on(&places[0], true, 0).collect();
    plan.extend(on(memory.unwrap_or(&places[0]), false, 0));
    let others = if options.calls { &[] } else { &places[1..] };
    plan.extend((1..).zip(others).flat_map(|(group, place)| on(place, true, group)));
    plan
}

fn places(options: &Options) -> io::Result<(Vec<Place>, Vec<String>)> {
    let mut places = Vec::new();
    let mut missing = Vec::new();
    for dir in &options.dirs {
        places.push(Place::in_folder(dir, Kind::Given)?);
    }
    if options.dirs.is_empty() {
        let default = [(place::disk(), Kind::Disk), (place::memory(), Kind::Memory)];
        for (folder, kind) in default {
            match folder.map(|folder| Place::in_folder(&folder, kind)) {
                Some(Ok(place)) => places.push(place),
                Some(Err(error)) => missing.push(format!("a place: {error}")),
                None => {}
            }
        }
    }
    if places.is_empty() {
        return Err(io::Error::other("no place to work in"));
    }
    Ok((places, missing))
}

fn list() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for scenario in &SCENARIOS {
        let names: Vec<&str> = scenario.contenders().map(|one| one.rival.name).collect();
        let mark = if scenario.quick.is_some() { "*" } else { " " };
        writeln!(out, "{mark} {:<18} {}: {}", scenario.name, scenario.title, names.join(", "))?;
    }
    writeln!(out, "*: in the quick run, with fewer rivals")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_operation_waits_for_the_second_place_of_another() {
        let options = Options::parse_from(["curt-bench"]);
        let folder = std::env::temp_dir();
        let place = || Place::in_folder(&folder, Kind::Given).unwrap();
        let places = [place(), place()];
        let plan = plan(&options, &places);
        let first = plan.iter().take_while(|step| step.group == 0).map(|step| step.scenario.name);
        let first: Vec<&str> = first.collect();
        let quick = || SCENARIOS.iter().filter(|scenario| scenario.quick.is_some());
        assert!(quick().all(|scenario| first.contains(&scenario.name)));
        assert_eq!(first.len(), quick().count());
        let second = &plan[first.len()];
        assert!(first[0] == "remove" && second.scenario.name == "remove" && second.group == 1);
    }
}
