use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use curt_testkit::{NOBODY, Scratch, in_namespace, is_root, may_mount, may_trace, skip};

use super::{Setup, outcome};
use crate::harness::FILTER;

#[test]
fn a_link_to_an_ancestor_is_reported_and_the_rest_is_walked() {
    let Some(setup) = Setup::odd() else { return };
    setup.scratch.link("t/a/b/up", "..");
    setup.scratch.link("t/a/here", ".");
    setup.scratch.link("t/self", "self");
    setup.scratch.link("t/through-file", "plain.rs/x");
    let mut expected = setup.find("-L t");
    assert_eq!((expected.code, expected.failures.len()), (Some(1), 4 + 2));
    // GNU find skips a symlink to an ancestor. curt yields it, and reports why it does not descend.
    let loops = ["t/a/b/up", "t/a/here", "t/to-dir/up/b", "t/to-dir/up/here"];
    expected.paths.extend(loops.iter().map(Into::into));
    expected.paths.sort();
    let others =
        ["'t/self': Too many levels of symbolic links", "'t/through-file': Not a directory"];
    expected.failures.retain(|failure| others.contains(&failure.as_str()));
    assert_eq!(expected.failures, others, "find says why");
    for more in ["", "-j3", "--contents-first"] {
        let printed = setup.curt(&format!("-L {more} . t"));
        assert_eq!(printed.code, Some(1));
        assert_eq!(printed.paths, expected.paths);
        let why = "symbolic link or mount loop";
        let back = loops.map(|path| format!("'{path}': {why}"));
        let mut failures: Vec<String> = back.into_iter().chain(expected.failures.clone()).collect();
        failures.sort();
        assert_eq!(printed.failures, failures);
    }
}

#[test]
fn links_that_cannot_be_followed_are_reported() {
    let Some(setup) = Setup::new() else { return };
    setup.scratch.file("t/file");
    for (link, target) in [
        ("round", "round"),
        ("one", "other"),
        ("other", "one"),
        ("through-file", "file/x"),
        ("dangling", "nowhere/x"),
    ] {
        setup.scratch.link(format!("t/{link}"), target);
    }
    let outcome = setup.same("-L t", "-L . t");
    assert_eq!((outcome.code, outcome.failures.len()), (Some(1), 4));
    assert!(!outcome.paths.iter().any(|path| path == "t/round"));
    assert!(outcome.paths.iter().any(|path| path == "t/through-file"));
    let printed = setup.curt("-L -tl --newer 1d . t");
    assert_eq!(printed.failures, outcome.failures);
}

/// Unknown metadata never matches, so that `--delete` does not remove the entry.
#[test]
fn unknown_metadata_matches_no_test() {
    let (Some(mut setup), true) = (Setup::new(), may_trace()) else { return };
    setup.scratch.script("t/program", "#!/bin/sh\n", 0o755);
    let failing = FILTER.replace("openat2", "faccessat2").replace("EPERM", "EIO");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{failing} \"$CURT\" find -tx . t")]);
    shell.current_dir(setup.scratch.path()).env("CURT", &setup.fixture.curt).env("LC_ALL", "C");
    let failed = outcome(&shell.output().unwrap());
    assert_eq!((failed.paths.len(), failed.code), (0, Some(1)), "{failed:?}");
    assert_eq!(failed.failures, ["'t/program': Input/output error"]);
    if is_root() {
        setup.user = Some(NOBODY);
    }
    let closed = setup.scratch.dir("t/closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    let empty = setup.curt("-te -td . t");
    assert_eq!((empty.paths.len(), empty.code), (0, Some(1)), "{empty:?}");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn entries_that_cannot_be_queried_are_reported() {
    let Some(mut setup) = Setup::odd() else { return };
    if !is_root() {
        return skip("not root: nothing to take rights from");
    }
    setup.user = Some(NOBODY);
    let closed = setup.scratch.at("t/with space");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(setup.same("t/with -maxdepth 1", "-d 1 . t/with").code, Some(1));
    let printed = setup.curt("-S +0b . t");
    let is_reported = |failure: &String| failure.contains("with space/a b");
    assert!(printed.failures.iter().any(is_reported), "{printed:?}");
    assert_eq!(printed.code, Some(1));
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn one_file_system() {
    let Some(setup) = Setup::odd() else { return };
    if !may_mount() {
        return;
    }
    for path in ["t/mounted", "t/bound"] {
        setup.scratch.dir(path);
    }
    let run = |command: &str| {
        let script = format!(
            "set -e; mount -t tmpfs none t/mounted; mkdir t/mounted/sub; touch t/mounted/sub/f; \
             mount --bind t/a t/bound; {command}"
        );
        let mut shell = in_namespace(&script);
        shell.current_dir(setup.scratch.path());
        outcome(&shell.env("CURT", &setup.fixture.curt).env("LC_ALL", "C").output().unwrap())
    };
    let whole = run("find t -mindepth 1 -print0");
    assert_eq!(run("$CURT find -u -0 . t"), whole);
    let device = run("find t -mindepth 1 -xdev -print0");
    assert!(device.paths.len() + 2 == whole.paths.len());
    for more in ["", "--without openat2", "--without statx", "-j2", "--contents-first"] {
        let find = format!("$CURT find -u -0 {more} --one-file-system");
        assert_eq!(run(&format!("{find} . t")), device, "{more}");
        let mount = run(&format!("{find}=mount . t"));
        let outside =
            |path: &&std::ffi::OsString| !path.to_str().unwrap_or("").starts_with("t/bound/");
        let expected: Vec<_> = device.paths.iter().filter(outside).cloned().collect();
        assert_eq!((&mount.paths, mount.code), (&expected, Some(0)), "{more}");
        // Removal also stops at mounts, and reports them unless the command line sets a boundary. A
        // symlink's target is not a mount, even on the same filesystem.
        let kept = ["t/bound", "t/mounted"];
        let failures = kept.map(|path| format!("'{path}': it is a mount point"));
        let is_kept = |path: &std::ffi::OsString| kept.iter().any(|kept| path == kept);
        let expected: Vec<_> = expected.into_iter().filter(|path| !is_kept(path)).collect();
        let removal = format!("$CURT find -u -0 {more} --delete --dry-run");
        let removed = run(&format!("{removal} . t"));
        assert_eq!((&removed.paths, removed.code), (&expected, Some(1)), "{more}");
        assert_eq!(removed.failures, failures, "{more}");
        let removed = run(&format!("{removal} -L -tl -tp . t"));
        assert_eq!((removed.failures, removed.code), (failures.to_vec(), Some(1)), "{more}");
        // With the option suggested by the note, only matching entries are reported.
        let note = format!("$({removal} . t 2>&1 | grep -aoe '--one-file-system[=a-z]*')");
        assert_eq!(run(&format!("{removal} {note} . t")).paths, expected, "{more}");
        for quiet in [note.as_str(), "--xdev", "-d1"] {
            let removed = run(&format!("{removal} -tf {quiet} . t"));
            assert_eq!((removed.failures, removed.code), (vec![], Some(0)), "{more} {quiet}");
        }
    }
    assert_eq!(
        run("$CURT find -u -0 --xdev . t/mounted"),
        run("find t/mounted -mindepth 1 -xdev -print0")
    );
}

#[test]
fn one_file_system_is_not_left_through_a_link() {
    let Some(setup) = Setup::odd() else { return };
    let other = Scratch::on_disk();
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    if device(other.path()) == device(setup.scratch.path()) {
        return skip("the directories for temporary files are on one file system");
    }
    other.file("there/file");
    setup.scratch.link("t/elsewhere", other.at("there"));
    setup.scratch.link("t/elsewhere-file", other.at("there/file"));
    for more in ["--xdev", "--xdev=mount"] {
        let printed = setup.same("-L t -name elsewhere* -xdev", &format!("-L {more} ^elsewhere t"));
        assert_eq!(printed.paths, ["t/elsewhere", "t/elsewhere-file"]);
        let printed = setup.same("-L t -xdev -name file", &format!("-L {more} ^file$ t"));
        assert!(printed.paths.is_empty(), "{printed:?}");
        let kept = setup.curt(&format!("-L {more} --delete --dry-run ^file$ t"));
        assert_eq!((kept.failures.len(), kept.code), (0, Some(0)), "{kept:?}");
        setup.same("-L t/elsewhere -xdev", &format!("-L {more} . t/elsewhere"));
    }
    let kept = setup.curt("-L --delete --dry-run ^file$ t");
    let reason = "'t/elsewhere': its target is on another filesystem".to_owned();
    assert_eq!((kept.failures, kept.code), (vec![reason], Some(1)));
    assert!(other.exists("there/file"));
}
