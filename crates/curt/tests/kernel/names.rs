use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use curt::beneath::{Canonical, OpenOptions};
use curt::paths::Aliases;
use curt::{Cause, Root};
use curt_testkit::{Over, Scratch, is_root, skip, threads};

use crate::links::{mount, on_own_thread};
use crate::{SCOPES, WAYS, has_openat2, root};

fn tree() -> Scratch {
    let scratch = Scratch::new();
    let tree = "releases/7/lib/file plain/lib/file current->releases/7 plain/up->../releases \
         plain/dangling->../releases/new";
    scratch.tree("root", tree);
    scratch
}

fn query(root: &mut Root, path: &str) -> (String, bool, u64) {
    let before = root.calls().total();
    let Canonical { path, missing, .. } = root.canonical(path).unwrap();
    (path.display().to_string(), missing, root.calls().total() - before)
}

#[test]
fn canonical_names_always_cost_the_same() {
    if !has_openat2() {
        return skip("the kernel has no openat2");
    }
    let scratch = tree();
    let mut kept = root(&scratch.at("root"), &[]);
    for (path, name, missing, calls) in [
        (FILE, FILE, false, 6),
        ("current/lib/file", LINKED, false, 6),
        ("releases/7/./lib", "releases/7/lib", false, 6),
        ("plain/up/7", "releases/7", false, 6),
        ("plain/lib/new", "plain/lib/new", true, 8),
        ("current/lib/new", "releases/7/lib/new", true, 8),
        ("plain/up/new", "releases/new", true, 8),
    ] {
        for is_fresh in [true, false] {
            let query_once = |_| {
                let mut fresh = root(&scratch.at("root"), &[]);
                query(if is_fresh { &mut fresh } else { &mut kept }, path)
            };
            // The minimum, because any rename in the system can cause another `openat2`.
            let fewest = (0..20).map(query_once).min_by_key(|(_, _, calls)| *calls).unwrap();
            assert_eq!(fewest, (name.to_owned(), missing, calls), "{path}, fresh: {is_fresh}");
        }
    }
}

const FILE: &str = "plain/lib/file";
const LINKED: &str = "releases/7/lib/file";

/// A name that the kernel reports as missing can be a broken symlink, which curt resolves in single
/// steps. Earlier queries must not change the result.
#[test]
fn links_are_read_again() {
    let scratch = tree();
    for (way, without) in WAYS {
        for (scope, _) in SCOPES {
            let mut root = root(&scratch.at("root"), without).scope(scope);
            for path in ["plain/dangling", FILE, "current/lib/new", "plain/up/new"] {
                query(&mut root, path);
                let (name, missing, _) = query(&mut root, "plain/dangling");
                assert_eq!((&*name, missing), ("releases/new", true), "{way} after {path}");
            }
            for _ in 0..2 {
                assert_eq!(query(&mut root, "current/lib/file").0, LINKED);
                fs::remove_file(scratch.at("root/current")).unwrap();
                scratch.file("root/current/lib/file");
                for _ in 0..2 {
                    assert_eq!(query(&mut root, "current/lib/file").0, "current/lib/file");
                }
                fs::remove_dir_all(scratch.at("root/current")).unwrap();
                scratch.link("root/current", "releases/7");
            }
        }
    }
}

#[test]
fn names_are_correct_after_the_root_was_moved() {
    let scratch = tree();
    for (way, without) in WAYS {
        let place = scratch.at("root");
        let mut root = root(&place, without);
        let mut check = |at: &Path| {
            for (path, name) in [
                ("current/lib/file", "releases/7/lib/file"),
                ("plain/lib/file", "plain/lib/file"),
                ("current/lib/new", "releases/7/lib/new"),
            ] {
                assert_eq!(query(&mut root, path).0, name, "{way} {}", at.display());
            }
        };
        check(&place);
        let aside = scratch.at("aside");
        fs::rename(&place, &aside).unwrap();
        check(&aside);
        fs::create_dir(&place).unwrap();
        let below = place.join("releases");
        fs::rename(&aside, &below).unwrap();
        check(&below);
        fs::rename(&below, &aside).unwrap();
        fs::remove_dir(&place).unwrap();
        fs::rename(&aside, &place).unwrap();
        check(&place);
    }
}

/// The kernel appends ` (deleted)` to a removed file's name, but a real name can end in this, too.
#[test]
fn a_removed_file_has_no_name() {
    let scratch = Scratch::new();
    scratch.dir("root");
    let root = root(&scratch.at("root"), &[]);
    let open = |path: &str| root.open_file(path, OpenOptions::new().read(true)).unwrap();
    let name_of = |file: &File| root.name_of(file).map_err(|error| error.kind());
    let gone = Err(ErrorKind::NotFound);
    for name in ["a", "x (deleted)", "x (deleted) (deleted)"] {
        let named = Ok(PathBuf::from(name));
        let path = scratch.file(format!("root/{name}"));
        let file = open(name);
        assert_eq!(name_of(&file), named);
        scratch.hard_link(format!("root/{name}"), "root/other");
        assert_eq!(name_of(&file), named);
        fs::remove_file(&path).unwrap();
        assert_eq!(name_of(&file), gone, "{name}");
        scratch.file(format!("root/{name} (deleted)"));
        assert_eq!(name_of(&file), gone, "{name}");
        fs::remove_file(scratch.at(format!("root/{name} (deleted)"))).unwrap();
        fs::rename(scratch.at("root/other"), &path).unwrap();
        let file = open(name);
        scratch.hard_link(format!("root/{name}"), "root/backup");
        fs::rename(scratch.file("root/fresh"), &path).unwrap();
        assert_eq!(name_of(&file), gone, "{name}");
        assert_eq!(name_of(&open("backup")), Ok(PathBuf::from("backup")));
        fs::remove_file(&path).unwrap();
        fs::remove_file(scratch.at("root/backup")).unwrap();
        let dir = scratch.dir(format!("root/{name}"));
        let opened = open(name);
        assert_eq!(name_of(&opened), named);
        fs::remove_dir(dir).unwrap();
        assert_eq!(name_of(&opened), gone, "{name}");
    }
}

#[test]
fn a_socket_has_no_name_in_a_root() {
    let (socket, _end) = std::os::unix::net::UnixStream::pair().unwrap();
    let file = File::from(std::os::fd::OwnedFd::from(socket));
    for path in ["/", "."] {
        let error = root(Path::new(path), &[]).name_of(&file).unwrap_err();
        let Cause::Os(error) = error.cause() else { panic!("{path}: {error}") };
        assert_eq!(error.kind(), ErrorKind::CrossesDevices, "{path}");
    }
}

/// The file keeps another name, so only a look into the directory shows that `name` is gone.
#[test]
fn a_canonical_name_is_never_that_of_a_removed_file() {
    for (way, without) in WAYS {
        let scratch = Scratch::new();
        scratch.file("root/kept");
        scratch.link("root/link", "name");
        let root = root(&scratch.at("root"), without);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let _at_last = Over(&is_over);
            threads.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    scratch.hard_link("root/kept", "root/name");
                    fs::remove_file(scratch.at("root/name")).unwrap();
                }
            });
            let (mut here, mut gone) = (0, 0);
            let begun = Instant::now();
            while here < 500 || gone < 500 {
                let found = root.canonical("link").unwrap();
                assert_eq!(found.path, Path::new("name"), "{way}");
                *if found.missing { &mut gone } else { &mut here } += 1;
                assert!(begun.elapsed() < Duration::from_secs(60), "{way}: {here} {gone}");
            }
        });
    }
}

/// In a tree that is covered or unmounted, a file's name can refer to a different file.
#[test]
fn names_resolve_to_their_file() {
    if !is_root() {
        return skip("mounting needs root");
    }
    for (way, without) in WAYS {
        let scratch = Scratch::new();
        scratch.tree("", "root/file m/");
        on_own_thread(|| {
            if let Err(error) = threads::separate_mounts() {
                return skip(&format!("no mounts of a thread: {error}"));
            }
            let mount = |at: &str| {
                assert!(mount(&["-t", "tmpfs", "none", &scratch.at(at).display().to_string()]));
            };
            let file = |root: &Root| root.open_file("file", OpenOptions::new().read(true)).unwrap();
            let covered = root(&scratch.at("root"), without);
            let named = file(&covered);
            mount("root");
            let other = File::open(scratch.file("root/file")).unwrap();
            mount("m");
            scratch.file("m/file");
            let unmounted = root(&scratch.at("m"), without);
            let gone = file(&unmounted);
            let status = Command::new("umount").arg("-l").arg(scratch.at("m")).status();
            assert!(status.unwrap().success());
            for (root, file) in [(&covered, &named), (&unmounted, &gone)] {
                assert_eq!(root.name_of(file).unwrap(), Path::new("file"), "{way}");
                assert_eq!(root.canonical("./file").unwrap().path, Path::new("file"), "{way}");
                assert!(root.canonical("new").unwrap().missing, "{way}");
            }
            let passwd = File::open("/etc/passwd").unwrap();
            for (root, file) in [(&covered, &other), (&covered, &gone), (&unmounted, &passwd)] {
                let name = root.name_of(file);
                assert!(name.is_err(), "{way}: {name:?}");
            }
        });
    }
}

#[test]
fn a_missing_directory_has_no_name() {
    let scratch = tree();
    for (way, without) in WAYS {
        for aliases in [Aliases::Open, Aliases::Strict] {
            for (scope, _) in SCOPES {
                let root = root(&scratch.at("root"), without).scope(scope).aliases(aliases);
                for path in ["nosuch/", "plain/nosuch/", "plain/lib/nosuch//", "plain/nosuch/."] {
                    let error = root.canonical(path).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::NotFound, "{path} {way} {error}");
                }
                assert!(root.canonical("plain/nosuch").unwrap().missing, "{way}");
            }
        }
    }
}
