//! `curt-bench`: every operation beside its rivals, one table each.
//!
//! | file | what is in it |
//! |---|---|
//! | `main.rs` | places, the report |
//! | `options.rs`, `context.rs` | what can be asked, and what everything needs that measures |
//! | `operation.rs`, `operations.rs` | what an operation is, and all of them |
//! | `schedule.rs` | in which order they are measured |
//! | `rm.rs`, `rm_contenders.rs` | the operation `rm`: its scenarios, who takes part |
//! | `expand.rs`, `check.rs`, `works.rs`, `takers.rs` | the operations that only compute: `expand`, `check` |
//! | `reading/` | the operations that only read: `ls`, `walk`, `du`, `buffers` |
//! | `starts.rs` | the operation `run`: programs started and waited for |
//! | `tree.rs`, `tree_react.rs` | sample trees |
//! | `arena.rs`, `ground.rs`, `answer.rs` | one cell: its runs, its trees, the right answers |
//! | `measure.rs`, `cpu.rs`, `stats.rs` | interleaved timing, processor time, medians |
//! | `calls.rs`, `counts.rs` | counted system calls |
//! | `programs.rs` | the command, which is built first |
//! | `contender.rs`, `tryout.rs`, `roles/` | programs that take part, which of them can, the bench's own |
//! | `place.rs`, `images.rs`, `mount.rs` | file systems to work on |
//! | `sandbox.rs` | the folder everything happens in, and the guard before every removal |
//! | `report.rs`, `table.rs`, `progress.rs` | what is shown |
//!
//! A new operation adds a file like `rm.rs` and a line in `operations.rs`. No file imports one that
//! imports it.

mod answer;
mod arena;
mod beneath;
mod calls;
mod check;
mod contender;
mod context;
mod counts;
mod cpu;
mod exit;
mod expand;
mod ground;
mod hello;
mod images;
mod measure;
mod mount;
mod operation;
mod operations;
mod options;
mod place;
mod programs;
mod progress;
mod reading;
mod report;
mod rm;
mod rm_contenders;
mod roles;
mod sandbox;
mod schedule;
mod starts;
mod stats;
mod table;
mod takers;
mod tree;
mod tree_react;
mod tryout;
mod works;

use calls::Counter;
use clap::Parser as _;
use contender::Missing;
use context::Context;
use exit::Exit;
use options::BenchOptions;
use place::{Kind, Place};
use programs::Programs;
use progress::{Interrupt, Progress};
use report::Section;
use sandbox::Sandbox;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    run(&BenchOptions::parse()).into()
}

/// Runs the bench, or plays a role in one.
fn run(options: &BenchOptions) -> Exit {
    if let (Some(role), Some(tree)) = (options.role, &options.tree) {
        return match &options.starts {
            Some(starts) => roles::start(starts, role, tree),
            None => roles::play(role, options.task, (options.buffer, options.work), tree),
        };
    }
    let progress = Progress::new();
    if options.images && !images::allowed() {
        progress.note("curt-bench: --images needs root on Linux");
        return Exit::Usage;
    }
    if options.images && !options.in_namespace {
        images::enter_namespace();
    }
    let interrupt = Interrupt::catch();
    let outcome = measure_all(options, &interrupt, progress);
    // Everything is cleaned up by now.
    interrupt.end();
    match outcome {
        Ok(true) => Exit::Success,
        Ok(false) => Exit::Failure,
        // A reader that has seen enough, such as `head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => {
            Progress::new().note(&format!("curt-bench: {error}"));
            Exit::Failure
        }
    }
}

/// Measures and reports. Whether curt gave the right answers.
fn measure_all(
    options: &BenchOptions,
    interrupt: &Interrupt,
    progress: Progress,
) -> io::Result<bool> {
    let programs = Programs::find()?;
    let begin = Instant::now();
    let (places, missing) = find_places(options)?;
    let seconds = if options.unhurried() { 1_000_000 } else { options.seconds };
    let soft = begin + Duration::from_secs(seconds.into());
    let scratch = Sandbox::create(&place::memory().unwrap_or_else(std::env::temp_dir))?;
    let folders = places.iter().map(|place| place.sandbox.root()).chain([scratch.root()]);
    let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
    progress.note(&format!("curt-bench: working in {}, removed at the end", folders.join(", ")));
    let context = Context {
        options,
        programs,
        places,
        scratch,
        counter: Counter::new(),
        progress,
        interrupt: interrupt.clone(),
        begin,
        soft,
        hard: soft + Duration::from_secs(3),
    };
    let mut sections = schedule::measure(&context)?;
    context.progress.step("cleaning up");
    let Context { places, scratch, progress, programs, .. } = context;
    drop((places, scratch));
    progress.clear();
    if let Some(first) = sections.first_mut() {
        first.missing.extend(missing);
    }
    report(options, &programs, &sections)?;
    if interrupt.wanted() {
        progress.note("curt-bench: interrupted; everything it made is removed");
    }
    Ok(sections.iter().all(right))
}

/// Whether curt did what the reference does, everywhere.
fn right(section: &Section) -> bool {
    let ours = section.cells.iter().flat_map(|cell| &cell.rows);
    ours.filter(|row| row.contender.is_ours())
        .all(|row| row.samples.iter().all(|sample| sample.answer == measure::Answer::Same))
}

fn find_places(options: &BenchOptions) -> io::Result<(Vec<Place>, Vec<Missing>)> {
    let mut places = Vec::new();
    let mut missing = Vec::new();
    for dir in &options.dirs {
        places.push(Place::in_folder(dir, Kind::Given)?);
    }
    if options.dirs.is_empty() {
        let default =
            [("tmpfs", place::memory(), Kind::Memory), ("disk", place::disk(), Kind::Disk)];
        for (name, folder, kind) in default {
            let place = folder.map(|folder| Place::in_folder(&folder, kind));
            match place {
                Some(Ok(place)) => places.push(place),
                Some(Err(error)) => {
                    missing.push(Missing { name: name.to_owned(), how: error.to_string() });
                }
                None => missing
                    .push(Missing { name: name.to_owned(), how: "not found here".to_owned() }),
            }
        }
    }
    if options.images {
        let backing = place::memory().filter(|folder| place::has_room(folder, 2 << 30, 10));
        let backing = backing.or_else(place::disk).unwrap_or_else(std::env::temp_dir);
        let (images, absent) = images::places(&backing);
        places.extend(images);
        missing.extend(absent);
    }
    if !options.places.is_empty() {
        places.retain(|place| options.places.iter().any(|text| place.name.contains(text.as_str())));
    }
    if places.is_empty() {
        return Err(io::Error::other("no place to work in"));
    }
    Ok((places, missing))
}

fn report(options: &BenchOptions, programs: &Programs, sections: &[Section]) -> io::Result<()> {
    let machine = machine(programs);
    if let Some(path) = &options.json {
        let results: Vec<_> = sections.iter().flat_map(Section::json).collect();
        let value = serde_json::json!({ "results": results, "machine": machine });
        std::fs::write(path, format!("{value:#}\n"))?;
    }
    if let Some(path) = &options.output {
        let tables: Vec<_> = sections.iter().map(|section| section.render(true)).collect();
        std::fs::write(path, format!("# curt-bench\n\n{machine}\n\n{}", tables.join("\n")))?;
    }
    let mut out = io::stdout().lock();
    for section in sections {
        writeln!(out, "{}", section.render(false))?;
    }
    writeln!(out, "{machine}")?;
    out.flush()
}

/// What a reader needs to know to judge absolute times.
fn machine(programs: &Programs) -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let release = read("/proc/sys/kernel/osrelease");
    let information = read("/proc/cpuinfo");
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("", |(_, model)| model.trim());
    let system = format!("{} {} {}", std::env::consts::OS, release.trim(), std::env::consts::ARCH);
    let curt = contender::version(&programs.curt).unwrap_or_default();
    let text = format!("{system}, {processors} processors {model}, {curt}");
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",")
}
