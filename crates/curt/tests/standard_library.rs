//! The functions of `curt::fs` beside those of the standard library: the same answers and the same
//! errors, over a table of paths.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use curt_testkit::Scratch;

/// What a function answers, as text, or the kind and the number of its error.
type Answer = Result<String, (io::ErrorKind, Option<i32>)>;

fn answer(answered: io::Result<String>) -> Answer {
    answered.map_err(|error| {
        // On Windows the numbers are those of other functions of the system.
        (error.kind(), error.raw_os_error().filter(|_| cfg!(unix)))
    })
}

/// A tree with an entry of every kind that needs no privilege.
fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with("dir/file", b"four");
    scratch.file_with("dir/sub/inner", b"");
    #[cfg(unix)]
    for (link, target) in [
        ("link", "dir"),
        ("dir/to-file", "file"),
        ("broken", "nothing"),
        ("loop", "loop"),
        ("through", "dir/file/below"),
    ] {
        std::os::unix::fs::symlink(target, scratch.at(link)).unwrap();
    }
    scratch
}

/// Paths of every kind, below a [`tree`].
fn paths(scratch: &Scratch) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = [
        "dir",
        "dir/file",
        "dir/file/",
        "dir/file/below",
        "dir/",
        "dir/.",
        "dir/sub/..",
        "missing",
        "missing/below",
        "link",
        "link/",
        "link/file",
        "dir/to-file",
        "broken",
        "broken/",
        "loop",
        "loop/below",
        "through",
        "dir//sub",
    ]
    .iter()
    .map(|path| scratch.path().join(path))
    .collect();
    paths.extend(["", ".", "a\0b"].map(PathBuf::from));
    paths.extend([255, 256, 5_000].map(|length| scratch.path().join("x".repeat(length))));
    paths.push(scratch.path().join("dir/../".repeat(1_000)));
    if cfg!(unix) {
        paths.extend(["/", "/dev/null", "/proc/self", "/proc/self/fd/0"].map(PathBuf::from));
    }
    paths
}

/// Asks both libraries the same about every path.
fn compare(
    paths: &[PathBuf],
    standard: impl Fn(&Path) -> io::Result<String>,
    ours: impl Fn(&Path) -> io::Result<String>,
) {
    for path in paths {
        let shown: String = path.display().to_string().chars().take(100).collect();
        assert_eq!(answer(ours(path)), answer(standard(path)), "{shown:?}");
    }
}

fn all(paths: &[PathBuf]) {
    compare(
        paths,
        |path| fs::metadata(path).map(|metadata| standard(&metadata)),
        |path| curt::fs::metadata(path).map(|metadata| ours(&metadata)),
    );
    compare(
        paths,
        |path| fs::symlink_metadata(path).map(|metadata| standard(&metadata)),
        |path| curt::fs::symlink_metadata(path).map(|metadata| ours(&metadata)),
    );
    compare(
        paths,
        |path| fs::canonicalize(path).map(|path| path.display().to_string()),
        |path| curt::fs::canonicalize(path).map(|path| path.display().to_string()),
    );
    // Other processes change `/proc`, the working directory and the times of what is in `/`
    // meanwhile.
    let quiet = |path: &&PathBuf| {
        path.is_absolute() && path.as_os_str() != "/" && !path.starts_with("/proc")
    };
    let listed: Vec<PathBuf> = paths.iter().filter(quiet).cloned().collect();
    compare(&listed, standard_listing, our_listing);
}

fn standard(metadata: &fs::Metadata) -> String {
    let kind = metadata.file_type();
    let kinds = (kind.is_dir(), kind.is_file(), kind.is_symlink(), metadata.is_dir());
    let times = (metadata.modified().ok(), metadata.created().ok());
    // The sizes of directories on Windows are made up by both.
    format!("{kinds:?} {:?} {times:?}", (!kind.is_dir()).then_some(metadata.len()))
}

fn ours(metadata: &curt::fs::Metadata) -> String {
    let kind = metadata.file_type();
    let kinds = (kind.is_dir(), kind.is_file(), kind.is_symlink(), metadata.is_dir());
    let times = (metadata.modified().ok(), metadata.created().ok());
    format!("{kinds:?} {:?} {times:?}", (!kind.is_dir()).then_some(metadata.len()))
}

fn standard_listing(path: &Path) -> io::Result<String> {
    let mut entries = BTreeSet::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let kinds = (kind.is_dir(), kind.is_file(), kind.is_symlink());
        let metadata = standard(&entry.metadata()?);
        entries.insert((entry.path(), entry.file_name(), format!("{kinds:?} {metadata}")));
    }
    Ok(format!("{entries:#?}"))
}

fn our_listing(path: &Path) -> io::Result<String> {
    let mut entries = BTreeSet::new();
    for entry in curt::fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let kinds = (kind.is_dir(), kind.is_file(), kind.is_symlink());
        let metadata = ours(&entry.metadata()?);
        entries.insert((entry.path(), entry.file_name(), format!("{kinds:?} {metadata}")));
    }
    Ok(format!("{entries:#?}"))
}

#[test]
fn answers_and_errors_are_those_of_the_standard_library() {
    let scratch = tree();
    all(&paths(&scratch));
}

#[cfg(target_os = "linux")]
#[test]
fn answers_to_a_user_without_permission_are_the_same() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tree();
    scratch.dir("closed/below");
    scratch.file("closed/file");
    for (path, mode) in [("", 0o755), ("closed", 0o600)] {
        fs::set_permissions(scratch.at(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut paths = paths(&scratch);
    paths.extend(["closed", "closed/", "closed/below", "closed/file"].map(|at| scratch.at(at)));
    let is_root = fs::metadata("/proc/self")
        .is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            if is_root {
                curt_testkit::threads::become_user(65534).unwrap();
            }
            let closed = fs::metadata(scratch.at("closed/file")).unwrap_err();
            assert_eq!(closed.kind(), io::ErrorKind::PermissionDenied);
            all(&paths);
            compare(
                &paths[..paths.len() - 4],
                |path| fs::remove_dir_all(path.join("nothing")).map(|()| String::new()),
                |path| curt::fs::remove_dir_all(path.join("nothing")).map(|()| String::new()),
            );
        });
    });
    fs::set_permissions(scratch.at("closed"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn trees_are_removed_as_by_the_standard_library() {
    for operand in [
        "dir",
        "dir/",
        "dir/file",
        "dir/file/",
        "dir/sub",
        "missing",
        "missing/below",
        "link",
        "broken",
        "loop",
        "dir/to-file",
        "dir/file/below",
        "",
        "a\0b",
    ] {
        let (theirs, mine) = (tree(), tree());
        let at = |scratch: &Scratch| match operand {
            "" => PathBuf::new(),
            operand => scratch.at(operand),
        };
        let expected = fs::remove_dir_all(at(&theirs)).map(|()| left(&theirs));
        let found = curt::fs::remove_dir_all(at(&mine)).map(|()| left(&mine));
        assert_eq!(answer(found), answer(expected), "{operand:?}");
        assert_eq!(left(&mine), left(&theirs), "{operand:?}");
    }
}

/// The names that are left in a tree.
fn left(scratch: &Scratch) -> String {
    let mut names: Vec<String> = curt::walk(scratch.path())
        .into_iter()
        .map(|entry| {
            entry.unwrap().path.strip_prefix(scratch.path()).unwrap().display().to_string()
        })
        .collect();
    names.sort();
    names.join("\n")
}

#[cfg(unix)]
#[test]
fn a_link_with_a_separator_behind_it_is_refused_and_its_target_stays() {
    let scratch = tree();
    let error = curt::fs::remove_dir_all(scratch.at("link/")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    assert!(scratch.at("dir/sub/inner").exists() && scratch.at("link").is_symlink());
}

#[cfg(unix)]
#[test]
fn details_have_what_the_system_said_besides() {
    use std::os::unix::fs::MetadataExt;
    let scratch = tree();
    let (ours, theirs) =
        (curt::fs::metadata(scratch.at("dir/file")).unwrap(), fs::metadata(scratch.at("dir/file")));
    let (details, theirs) = (ours.details(), theirs.unwrap());
    assert_eq!(details.mode().known(), Some(theirs.mode()));
    assert_eq!(details.id().known(), Some(theirs.ino().into()));
    assert_eq!(details.links().known(), Some(theirs.nlink()));
    assert_eq!(details.user_id().known(), Some(theirs.uid()));
    assert_eq!(details.allocated().known(), Some(theirs.blocks() * 512));
}
