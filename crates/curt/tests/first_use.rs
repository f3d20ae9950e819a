//! First lines that users of `std::fs`, walkdir and cap-std might write. They must compile, and do
//! what their names suggest.

use std::error::Error;
use std::fmt::Debug;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use curt::list::Directory;
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
fn every_error_is_an_error() {
    fn is_error<E: Error + Into<io::Error> + Send + Sync + 'static>() {}
    is_error::<curt::Error>();
    is_error::<curt::remove::Incomplete>();
    is_error::<curt::paths::Refusal>();
    is_error::<curt::paths::ExpandError>();
    is_error::<curt::fields::UnknownField>();
    is_error::<curt::filters::GlobError>();
}

#[test]
fn public_types_are_debug_and_go_to_other_threads() {
    fn shared<T: Debug + Send + Sync>() {}
    fn sent<T: Debug + Send>() {}
    fn kept<T: Clone>() {}
    shared::<(curt::Calls, curt::Cancel, curt::Threads, Next, curt::Unvisited<'_>)>();
    shared::<(curt::Error, Cause, Operation)>();
    shared::<(Fields, Kind, Plan, curt::Metadata, curt::fields::Time)>();
    shared::<(curt::fields::FileName<'_>, curt::fields::Value<'_, u64>)>();
    shared::<Directory>();
    shared::<(Remove<'_>, curt::remove::Report, curt::remove::Incomplete)>();
    shared::<(curt::remove::Totals, curt::remove::DirectoryOperands, curt::remove::Confirm)>();
    shared::<(Usage<'_>, curt::usage::UsageRecord, curt::usage::UsageReport)>();
    shared::<(Walk<'_>, curt::walk::WalkEntry, curt::walk::Summary)>();
    shared::<(curt::Root, curt::beneath::OpenOptions, curt::beneath::Canonical)>();
    shared::<(curt::Search, curt::which::Policy, curt::which::Found, curt::which::NotFound)>();
    shared::<(curt::Command, curt::process::Child, curt::process::Stream)>();
    sent::<(curt::list::List, curt::list::Stat, curt::list::DirectoryWalk)>();
    sent::<(curt::walk::Walking<'_>, curt::walk::Visited<'_>, curt::walk::Entries<'_>)>();
    kept::<(curt::Error, curt::Metadata, curt::fields::Time, Plan, Fields)>();
    kept::<(curt::walk::WalkEntry, Usage<'_>, Walk<'_>, Remove<'_>)>();
    kept::<curt::which::Found>();
}
