//! The messages and contents of errors.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use curt::beneath::OpenOptions;
use curt::fields::Follow;
use curt::paths::{Env, ExpandError, Expander, Flavor, PathCheck, Refusal};
use curt::{Error, Fields, Plan, Remove, Root, Search, Usage, Walk};
use curt_testkit::Scratch;

fn plans() -> Vec<Plan> {
    let fields = [
        Fields::NONE,
        Fields::NAME,
        Fields::KIND,
        Fields::SIZE,
        Fields::USER,
        Fields::TARGET,
        Fields::READABLE,
        Fields::ACL,
        Fields::NAME | Fields::EXECUTABLE,
    ];
    let follows = [Follow::Never, Follow::Links];
    fields
        .iter()
        .flat_map(|&fields| follows.map(|follow| Plan::new(fields).follow(follow)))
        .collect()
}

#[test]
fn stat_of_a_missing_path_fails_with_every_plan() {
    let scratch = Scratch::new();
    let file = scratch.file("file");
    for path in [scratch.at("missing"), scratch.at("missing/deeper"), file.join("below a file")] {
        let standard = fs::metadata(&path).unwrap_err();
        for plan in plans() {
            let error = curt::stat(&path, plan).unwrap_err();
            assert_eq!(error.kind(), standard.kind(), "{} {plan:?}", path.display());
            assert!(error.raw_os_error().is_some(), "{} {plan:?}", path.display());
        }
    }
    for plan in plans() {
        assert!(curt::stat(&file, plan).is_ok(), "{plan:?}");
    }
}

fn failures(path: &Path) -> Vec<(&'static str, Error, io::Error)> {
    let plan = Plan::new(Fields::KIND);
    let listed = fs::read_dir(path).map(|_| ());
    let queried = fs::symlink_metadata(path).map(|_| ());
    let of_report = |mut errors: Vec<Error>| errors.pop().map_or(Ok(()), Err);
    let ours = [
        ("list", curt::list(path).map(|_| ()), &listed),
        ("Directory::open", curt::list::Directory::open(path).map(|_| ()), &listed),
        ("Root::open", Root::open(path).map(|_| ()), &listed),
        ("stat", curt::stat(path, plan).map(|_| ()), &queried),
        ("Walk", Walk::new(path).into_iter().last().unwrap().map(|_| ()), &queried),
        ("Usage", of_report(Usage::new().measure([path]).errors), &queried),
        ("remove_tree", of_report(Remove::new().dry_run(true).run(path).errors), &queried),
    ];
    ours.into_iter()
        .filter_map(|(name, ours, standard)| match (ours, standard) {
            (Err(ours), Err(standard)) => {
                Some((name, ours, io::Error::from_raw_os_error(standard.raw_os_error()?)))
            }
            (Ok(()), Ok(())) => None,
            (ours, standard) => panic!("{name}: {ours:?}, not {standard:?}"),
        })
        .collect()
}

#[test]
fn failures_carry_the_number_of_the_system() {
    let scratch = Scratch::new();
    scratch.tree("", "file directory/");
    #[cfg(unix)]
    scratch.link("circle", "circle");
    let mut seen = Vec::new();
    for name in ["missing", "missing/deeper", "file", "file/below", "directory", "circle"] {
        if name == "circle" && cfg!(windows) {
            continue;
        }
        for (operation, ours, standard) in failures(&scratch.at(name)) {
            // On Windows a path through a file counts as missing, but a removal opens the parent,
            // which is not a directory.
            let is_parent = (operation, name) == ("remove_tree", "file/below");
            let expected = if cfg!(windows) && is_parent {
                io::ErrorKind::NotADirectory
            } else {
                standard.kind()
            };
            assert_eq!(ours.kind(), expected, "{operation} of {name}: {ours}");
            assert!(!ours.to_string().contains("os error"), "{operation} of {name}: {ours}");
            #[cfg(unix)]
            assert_eq!(ours.raw_os_error(), standard.raw_os_error(), "{operation} of {name}");
            let number = ours.raw_os_error();
            assert!(number.is_some(), "{operation} of {name}: {ours}");
            assert_eq!(io::Error::from(ours).raw_os_error(), number, "{operation} of {name}");
            seen.push((operation, name));
        }
    }
    for operation in ["list", "Directory::open", "Root::open", "stat", "Walk", "remove_tree"] {
        assert!(seen.contains(&(operation, "missing")), "{operation}: {seen:?}");
    }
    assert!(seen.contains(&("list", "file")), "{seen:?}");
    let removed = curt::remove_tree("").unwrap_err();
    let number = removed.report().errors[0].raw_os_error();
    assert!(number.is_some());
    let root = Root::open(scratch.path()).unwrap();
    let missing = fs::metadata(scratch.at("missing")).unwrap_err().raw_os_error();
    assert!(cfg!(windows) || number == fs::remove_file("").unwrap_err().raw_os_error());
    let opened = converted(root.open_file("missing", OpenOptions::new().read(true)));
    assert_eq!(opened.raw_os_error(), missing);
}

fn converted(result: Result<impl Sized, impl Into<io::Error>>) -> io::Error {
    result.err().unwrap().into()
}

#[test]
fn failures_without_a_number_stay_inside_an_io_error() {
    let scratch = Scratch::new();
    let root = Root::open(scratch.path()).unwrap();
    let refused = converted(root.open_file("../x", OpenOptions::new().read(true)));
    assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(refused.downcast::<Error>().unwrap().path(), Path::new("../x"));
    let not_found = converted(Search::new().path(scratch.path()).find("missing"));
    assert_eq!(not_found.kind(), io::ErrorKind::NotFound);
    assert_eq!(not_found.downcast::<Error>().unwrap().path(), Path::new("missing"));
    #[cfg(unix)]
    {
        let dots = converted(curt::remove_tree(scratch.at(".")));
        assert_eq!(dots.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(dots.downcast::<curt::remove::Incomplete>().unwrap().report().error_count, 1);
    }
    let refusal = converted(PathCheck::new(Flavor::Posix).check(b"../x"));
    assert_eq!(refusal.kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(refusal.downcast::<Refusal>().unwrap(), Refusal::Escape);
    let expander = Expander::new(Env::none()).flavor(Flavor::Posix).tilde(true);
    for (path, kind, error) in [
        ("~", io::ErrorKind::NotFound, ExpandError::NoHome),
        ("a\0", io::ErrorKind::InvalidInput, ExpandError::Nul),
    ] {
        let failed = converted(expander.expand(path.as_bytes()));
        assert_eq!(failed.kind(), kind, "{failed}");
        assert_eq!(failed.downcast::<ExpandError>().unwrap(), error);
    }
    let unknown = converted("colour".parse::<Fields>());
    assert_eq!(unknown.kind(), io::ErrorKind::InvalidInput);
    assert_eq!(converted(curt::filters::Globs::new(["["])).kind(), io::ErrorKind::InvalidInput);
}

fn chain(error: &dyn std::error::Error) -> Vec<String> {
    let mut texts = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        texts.push(error.to_string());
        source = error.source();
    }
    texts
}

#[test]
fn error_chains_do_not_repeat_text() {
    let scratch = Scratch::new();
    let missing: PathBuf = scratch.at("missing");
    let script = scratch.file("no program");
    let mut chains = Vec::new();
    for (_, error, _) in failures(&missing) {
        chains.push(chain(&error));
        chains.push(chain(&io::Error::from(error)));
    }
    chains.push(chain(&curt::remove_tree(&missing).unwrap_err()));
    chains.push(chain(&Search::new().path(scratch.path()).find("missing").unwrap_err()));
    chains.push(chain(&curt::Command::new(&missing).spawn().err().unwrap()));
    chains.push(chain(&curt::Command::new(&script).spawn().err().unwrap()));
    let enter = curt::Command::new("cargo").current_dir(&missing).spawn().err().unwrap();
    chains.push(chain(&enter));
    assert!(chains.len() > 12, "{chains:?}");
    for chain in chains {
        for (outer, text) in chain.iter().enumerate() {
            for inner in &chain[outer + 1..] {
                assert!(!text.contains(inner.as_str()), "said twice: {chain:?}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_cannot_be_executed_is_named_with_its_path() {
    let scratch = Scratch::new();
    let file = scratch.file("plain");
    let error = curt::Command::new("plain").env("PATH", scratch.path()).spawn().unwrap_err();
    let expected = format!("plain: not an executable file: '{}'", file.display());
    assert_eq!(error.to_string(), expected);
}
