//! The first lines of a user who knows `std::fs`, walkdir and cap-std compile, and do what they
//! seem to do.

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use curt::{Fields, Kind, Next, Plan, Remove, Usage, Walk};
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
fn errors_are_io_errors_with_their_number() {
    fn fails(path: &Path) -> io::Result<()> {
        for entry in curt::list(path)? {
            entry?;
        }
        Ok(())
    }
    let scratch = tree();
    let error = fails(&scratch.at("none")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().contains("none"), "{error}");
    let number = error.get_ref().and_then(|inner| inner.downcast_ref::<curt::Error>());
    let number = number.and_then(curt::Error::raw_os_error);
    assert_eq!(number, std::fs::metadata(scratch.at("none")).unwrap_err().raw_os_error());
}
