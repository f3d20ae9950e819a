//! The first lines of a user who knows `std::fs`, walkdir and cap-std compile, and do what they
//! seem to do.

use std::error::Error;
use std::fmt::Debug;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use curt::fields::Follow;
use curt::list::{Directory, ListEntry};
use curt::paths::{Expander, Flavor, PathCheck, ThisProcess};
use curt::process::Stream;
use curt::{Cause, Fields, Kind, Next, Operation, Plan, Remove, Usage, Walk};
use curt_testkit::Scratch;

fn tree() -> Scratch {
    let scratch = Scratch::new();
    for name in ["t/a", "t/sub/b", "t/node_modules/x/index.js"] {
        scratch.file_with(name, b"four");
    }
    scratch
}

#[test]
fn a_listing_is_an_iterator() -> Result<(), Box<dyn Error>> {
    let scratch = tree();
    let mut found = Vec::new();
    for entry in curt::list(scratch.at("t"))? {
        let entry = entry?;
        assert_eq!(entry.path, scratch.at("t").join(entry.name()));
        found.push((entry.name().to_owned(), entry.kind(), entry.metadata.is_dir()));
    }
    found.sort();
    let kinds: Vec<_> = found.iter().map(|(_, kind, is_dir)| (*kind, *is_dir)).collect();
    let directory = (Kind::Directory, true);
    assert_eq!(kinds, [(Kind::File, false), directory, directory]);
    let mut list = curt::list(scratch.at("t"))?.fields(Fields::SIZE);
    let mut sizes = 0;
    while let Some(entry) = list.next() {
        let entry = entry?;
        if entry.name() == "a" {
            sizes += entry.metadata().size().known().unwrap();
        }
    }
    assert_eq!(sizes, 4);
    Ok(())
}

#[test]
fn a_walk_is_an_iterator() -> Result<(), Box<dyn Error>> {
    let scratch = tree();
    let walk = Walk::new(scratch.at("t")).exclude(|entry| entry.name() == "node_modules");
    let mut names: Vec<String> = Vec::new();
    for entry in &walk {
        names.push(entry?.name().to_string_lossy().into_owned());
    }
    names.sort();
    assert_eq!(names, ["a", "b", "sub", "t"]);
    let paths: Result<Vec<PathBuf>, curt::Error> =
        curt::walk(scratch.at("t/sub")).into_iter().map(|entry| entry.map(|e| e.path)).collect();
    assert_eq!(paths?, [scratch.at("t/sub"), scratch.at("t/sub/b")]);
    Ok(())
}

#[test]
fn closures_visit_and_stop() {
    let scratch = tree();
    let seen = Mutex::new(Vec::new());
    let summary = Walk::new([scratch.at("t/a"), scratch.at("t/sub")]).visit(|entry| {
        seen.lock().unwrap().push(entry.unwrap().path().into_owned());
    });
    assert_eq!((summary.entries, summary.stopped), (3, false));
    assert_eq!(seen.into_inner().unwrap().len(), 3);
    let summary = Walk::new(scratch.at("t")).visit(|_| ControlFlow::<()>::Break(()));
    assert_eq!((summary.entries, summary.stopped), (1, true));
    let summary = Walk::new(scratch.at("t")).visit(|entry| match entry {
        Ok(entry) if entry.depth() == 1 => Next::Skip,
        _ => Next::Continue,
    });
    assert_eq!(summary.entries, 4);
}

#[test]
fn one_operand_or_many() -> io::Result<()> {
    let scratch = tree();
    let one: &Path = &scratch.at("t");
    assert_eq!(Usage::new().measure(one).total().entries, 7);
    let several = vec![scratch.at("t/a"), scratch.at("t/sub")];
    assert_eq!(Usage::new().measure(&several).records.len(), 2);
    assert!(Remove::new().exclude(|entry| entry.kind().is_dir()).run(one).skipped == 2);
    assert_eq!(
        curt::remove_tree(["t/sub", "t/node_modules"].map(|name| scratch.at(name)))?.files,
        2
    );
    curt::remove_tree(scratch.at("t").to_str().unwrap())?;
    Ok(())
}

#[test]
fn fields_are_a_plan() -> Result<(), curt::Error> {
    let scratch = tree();
    let metadata = curt::stat(scratch.at("t/a"), Fields::KIND | Fields::SIZE)?;
    assert!(metadata.is_file() && !metadata.is_symlink());
    assert_eq!(metadata.size().known(), Some(4));
    assert!(curt::stat(scratch.at("none"), Plan::default()).is_err());
    Ok(())
}

#[test]
fn plans_are_constants_and_fields_are_sets() -> Result<(), Box<dyn Error>> {
    const PLAN: Plan = Plan::new(Fields::SIZE.union(Fields::MODIFIED)).follow(Follow::Links);
    let scratch = tree();
    let metadata = curt::stat(scratch.at("t/a"), PLAN)?;
    let kept = metadata.clone();
    assert_eq!(kept.size().known(), Some(4));
    let modified = kept.modified().known().unwrap();
    assert!(modified.to_string().ends_with('Z'), "{modified}");
    assert_eq!(modified.to_system_time().unwrap(), scratch.at("t/a").metadata()?.modified()?);
    let mut wanted: Fields = "name,size".parse()?;
    wanted |= Fields::KIND;
    assert_eq!(
        (wanted & Fields::SIZE, wanted - Fields::SIZE),
        (Fields::SIZE, !Fields::SIZE & wanted)
    );
    Ok(())
}

#[test]
fn programs_are_found_and_started_as_in_std() -> Result<(), Box<dyn Error>> {
    let own = std::env::current_exe()?;
    assert!(curt::which(&own)?.is_absolute());
    let mut command = curt::Command::new(&own);
    command.args(["--list", "--format", "terse"]).stdin(Stream::Null);
    let output = command.output()?;
    assert!(output.status.success() && String::from_utf8(output.stdout)?.contains(": test"));
    let timed = command.output_timeout(Duration::from_secs(60))?;
    assert!(!timed.timed_out);
    let mut child = command.stdout(Stream::Pipe).spawn()?;
    assert!(std::io::read_to_string(child.stdout.take().unwrap())?.contains(": test"));
    assert!(child.wait()?.success());
    Ok(())
}

#[test]
fn the_text_of_paths_is_checked_and_expanded() -> Result<(), Box<dyn Error>> {
    fn expanded(expander: &Expander, path: &str) -> io::Result<PathBuf> {
        Ok(expander.expand_path(path)?.into_owned())
    }
    let cwd = std::env::current_dir()?;
    assert_eq!(expanded(&Expander::new(ThisProcess::new()), "a")?, cwd.join("a"));
    PathCheck::new(Flavor::NATIVE).check_path("img/logo.png")?;
    Ok(())
}

#[test]
fn measurements_call_back_and_stop() {
    let scratch = tree();
    let mut records = Vec::new();
    let usage = Usage::new().exclude(|entry| entry.name() == "node_modules");
    let report = usage.measure_each(scratch.at("t"), |record| records.push(record.path.clone()));
    assert_eq!(records, [scratch.at("t/sub"), scratch.at("t")]);
    assert_eq!(report.total().apparent, 8);
    let report = usage.measure_each(scratch.at("t"), |_| ControlFlow::<()>::Break(()));
    assert!(report.stopped);
    let failed = Mutex::new(Vec::new());
    let note = |error: &curt::Error| failed.lock().unwrap().push(error.clone());
    let report = Usage::new().on_error(note).measure(scratch.at("none"));
    assert_eq!((report.error_count, report.errors.len()), (1, 0));
    assert_eq!(failed.into_inner().unwrap()[0].kind(), io::ErrorKind::NotFound);
}

#[test]
fn errors_are_taken_apart_and_kept() {
    let error = curt::list("no such directory").unwrap_err();
    let copy = error.clone();
    assert_eq!(copy.to_string(), error.to_string());
    assert_eq!((copy.kind(), copy.raw_os_error()), (error.kind(), error.raw_os_error()));
    let (operation, path, cause) = error.into_parts();
    assert_eq!((operation, path), (Operation::OpenDirectory, "no such directory".into()));
    assert!(matches!(cause, Cause::Os(error) if error.kind() == io::ErrorKind::NotFound));
}

/// Every error goes into a `Box<dyn Error>` and into an `io::Error` by `?`.
#[test]
fn every_error_is_an_error() {
    fn is_error<E: Error + Into<io::Error> + Send + Sync + 'static>() {}
    is_error::<curt::Error>();
    is_error::<curt::remove::Incomplete>();
    is_error::<curt::which::FindError>();
    is_error::<curt::paths::Refusal>();
    is_error::<curt::paths::ExpandError>();
    is_error::<curt::fields::UnknownField>();
    #[cfg(feature = "filters")]
    is_error::<curt::filters::GlobError>();
}

/// What a program keeps.
#[derive(Debug)]
struct App {
    root: Option<curt::Root>,
    search: curt::Search,
}

/// Types that threads share. Others are cursors, or hold the state of one worker.
#[test]
fn public_types_are_debug_and_go_to_other_threads() {
    fn shared<T: Debug + Send + Sync>() {}
    fn sent<T: Debug + Send>() {}
    fn kept<T: Clone>() {}
    shared::<(curt::Calls, curt::Cancel, curt::Threads, Next, curt::Unvisited<'_>)>();
    shared::<(curt::Error, Cause, Operation)>();
    shared::<(Fields, Kind, Plan, curt::Metadata, curt::fields::Time)>();
    shared::<(curt::fields::FileName<'_>, curt::fields::Value<'_, u64>)>();
    shared::<(Directory, ListEntry)>();
    shared::<(Remove<'_>, curt::remove::Report, curt::remove::Incomplete)>();
    shared::<(curt::remove::Totals, curt::remove::DirectoryOperands, curt::remove::Confirm)>();
    shared::<(Usage<'_>, curt::usage::UsageRecord, curt::usage::UsageReport)>();
    shared::<(Walk<'_>, curt::walk::WalkEntry, curt::walk::Summary, curt::walk::Order)>();
    shared::<(curt::Root, curt::beneath::OpenOptions, curt::beneath::Canonical)>();
    shared::<(curt::Search, curt::which::Policy, curt::which::Found, curt::which::FindError)>();
    shared::<(curt::Command, curt::process::Child, curt::process::Stream)>();
    sent::<(curt::list::List, curt::list::ListEntries, curt::list::Stat, curt::list::Descent)>();
    sent::<(curt::walk::Walking<'_>, curt::walk::Entries<'_>)>();
    kept::<(curt::Error, Cause, curt::Metadata, curt::fields::Time, Plan, Fields)>();
    kept::<(ListEntry, curt::walk::WalkEntry, Usage<'_>, Walk<'_>, Remove<'_>)>();
    kept::<(curt::which::FindError, curt::which::Found)>();
    let app = App { root: None, search: curt::Search::new() };
    assert!(format!("{:?} {app:?}", (&app.root, &app.search)).contains("root: None"));
}
