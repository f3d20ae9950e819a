//! Runs the cases of `tests/hostile.json`, on which all bindings must agree.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../../tests/hostile.rs"]
mod table;

use std::fs::Permissions;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use curt::beneath::{OpenOptions, Scope};
use curt::canonical::Canonicalizer;
use curt::copy::Existing;
use curt::fields::Follow;
use curt::paths::Aliases;
use curt::remove::DirectoryOperands::{self, OnlyEmpty, Recursive, Refuse, Required};
use curt::{Copy, Error, Feature, Fields, Plan, Remove, Root, Usage};

type Answer = Result<String, Error>;
const FOLLOWED: Plan = Plan::new(Fields::KIND).follow(Follow::Links);

type Act = fn(&Root, &str) -> Answer;

const OPERATIONS: &[(&str, Act)] = &[
    ("root.open", |root, path| open(root, path, OpenOptions::new().read(true))),
    ("root.create", |root, path| open(root, path, OpenOptions::new().write(true).create(true))),
    ("root.create_new", |root, path| {
        open(root, path, OpenOptions::new().write(true).create_new(true))
    }),
    ("root.enter", |root, path| done(root.open_dir(path))),
    ("root.list", |root, path| done(root.read_dir(path))),
    ("root.stat", |root, path| done(root.stat(path, FOLLOWED))),
    ("root.lstat", |root, path| done(root.stat(path, Fields::KIND))),
    ("root.readlink", |root, path| done(root.read_link(path))),
    ("root.mkdir", |root, path| done(root.create_dir_with_mode(path, 0o777))),
    ("root.symlink", |root, path| done(root.symlink("file", path))),
    ("root.link_from", |root, path| done(root.hard_link(path, "new"))),
    ("root.link_to", |root, path| done(root.hard_link("file", path))),
    ("root.rename_from", |root, path| done(root.rename(path, "new"))),
    ("root.rename_to", |root, path| done(root.rename("file", path))),
    ("root.chmod", |root, path| done(root.set_permissions(path, Permissions::from_mode(0o600)))),
    ("root.utime", |root, path| done(root.set_times(path, None, None))),
    ("root.unlink", |root, path| done(root.remove_file(path))),
    ("root.rmdir", |root, path| done(root.remove_dir(path))),
    ("root.remove", |root, path| remove_beneath(root, path, &remove(Recursive))),
    ("root.remove_directory", |root, path| remove_beneath(root, path, &remove(Required))),
    ("beneath.realpath", |root, path| done(root.canonical(path))),
    ("beneath.mkdir_all", |root, path| done(root.create_dir_all(path))),
    ("beneath.remove_force", |root, path| remove_beneath(root, path, &force(Recursive))),
    ("remove", |_, path| first(remove(Recursive).run(path).errors)),
    ("remove_directory", |_, path| first(remove(Required).run(path).errors)),
    ("remove_file", |_, path| first(remove(Refuse).run(path).errors)),
    ("remove_empty", |_, path| first(remove(OnlyEmpty).run(path).errors)),
    ("remove_force", |_, path| first(force(Recursive).run(path).errors)),
    ("remove_directory_force", |_, path| first(force(Required).run(path).errors)),
    ("remove_file_force", |_, path| first(force(Refuse).run(path).errors)),
    ("remove_empty_force", |_, path| first(force(OnlyEmpty).run(path).errors)),
    ("list", |_, path| done(curt::list(path))),
    ("stat", |_, path| done(curt::stat(path, FOLLOWED))),
    ("lstat", |_, path| done(curt::stat(path, Fields::KIND))),
    ("usage", |_, path| first(Usage::new().measure(path).errors)),
    ("realpath", |_, path| done(Canonicalizer::new().find(path))),
    ("copy", |_, paths| copy(paths, Existing::Fail)),
    ("copy_replace", |_, paths| copy(paths, Existing::Replace)),
];

fn open(root: &Root, path: &str, options: &mut OpenOptions) -> Answer {
    let mut text = String::new();
    let _ = root.open_file(path, options.nonblocking_open(true))?.read_to_string(&mut text);
    Ok(text)
}

fn remove(directories: DirectoryOperands) -> Remove<'static> {
    Remove::new().directories(directories)
}

fn force(directories: DirectoryOperands) -> Remove<'static> {
    remove(directories).missing_is_fine(true)
}

fn remove_beneath(root: &Root, path: &str, removal: &Remove<'_>) -> Answer {
    first(root.remove_tree(path, removal).errors)
}

fn copy(paths: &str, existing: Existing) -> Answer {
    let (source, destination) = paths.split_once(" -> ").unwrap();
    first(Copy::new().existing(existing).run(source, destination).errors)
}

fn first(errors: Vec<Error>) -> Answer {
    errors.into_iter().next().map_or(Ok(String::new()), Err)
}

fn done<T>(answer: Result<T, Error>) -> Answer {
    answer.map(|_| String::new())
}

fn act(operation: &(Act, &[Feature]), tree: &Path, scope: &str, path: &str) -> Answer {
    std::env::set_current_dir(tree).unwrap();
    let (act, without) = operation;
    let root = Root::open_without("in", without).unwrap();
    match scope {
        "inroot" => act(&root.scope(Scope::InRoot), path),
        "strict" => act(&root.aliases(Aliases::Strict), path),
        _ => act(&root, path),
    }
}

fn has_verdict(error: &Error, line: &[&str], path: &str) -> bool {
    let [_, _, number, text] = line else { return false };
    error.errno().to_string() == *number
        && error.to_string().contains(text)
        && path.split(" -> ").any(|path| error.path() == Path::new(path))
}

#[test]
fn hostile_cases_have_their_verdicts() {
    let mut operations: Vec<(&str, (Act, &[Feature]))> = Vec::new();
    for &(name, act) in OPERATIONS {
        operations.push((name, (act, &[])));
        if name.contains('.') {
            operations.push((name, (act, &[Feature::Openat2])));
        }
    }
    let others = table::check(&operations, act, has_verdict);
    assert!(others.is_empty(), "no language has an operation for {others:?}");
}
