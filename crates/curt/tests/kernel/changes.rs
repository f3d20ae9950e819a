//! Compares changes to directories, links, permissions and times with `std::fs`, and checks their
//! costs.

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use curt::beneath::{OpenOptions, Scope};
use curt::{Cause, Error, Fields, Root};
use curt_testkit::{Scratch, skip};
use rustix::fs::{AtFlags, CWD, RenameFlags};
use rustix::io::Errno;

use crate::table::number;
use crate::{SCOPES, WAYS, has_openat2, root};

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with("out/secret", b"secret");
    scratch.tree("", "out/dir/ root/file root/a/b/file root/a/empty/");
    let tree =
        "to_file->file to_dir->a/b to_empty->a/empty dangling->nosuch loop->loop a/up->../a/b";
    scratch.tree("root", tree);
    scratch
}

const PATHS: &str = "
    file file/ file/new new new/ a a/empty a/empty/ a/empty/. a/new a/b/file a/../file a/../new
    new/../more new/deep/er new//deep/./er/ a/./b/new/../newer to_file to_file/ to_dir to_dir/
    to_dir/new/deep to_dir/../new to_empty dangling dangling/ dangling/new loop/new . ./ a// a/.
    a/.. a/../ a/b/.. a/empty// a/empty/../ file// file/. file/.. new// new/. new/.. to_file//
    to_dir// to_dir/. to_dir/.. to_empty/ dangling//
";

fn time() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

type Pair = (&'static str, fn(&Root, &str) -> Result<(), Error>, fn(&Path) -> io::Result<()>);

const PAIRS: [Pair; 11] = [
    (
        "create_dir_with_mode",
        |root, path| root.create_dir_with_mode(path, 0o2750),
        |path| fs::DirBuilder::new().mode(0o2750).create(path),
    ),
    ("remove_file", |root, path| root.remove_file(path), |path| fs::remove_file(path)),
    (
        "read_link",
        |root, path| root.read_link(path).map(drop),
        |path| fs::read_link(path).map(drop),
    ),
    ("create_dir_all", |root, path| root.create_dir_all(path), |path| fs::create_dir_all(path)),
    ("remove_dir", |root, path| root.remove_dir(path), |path| fs::remove_dir(path)),
    (
        "symlink",
        |root, path| root.symlink("../target", path),
        |path| std::os::unix::fs::symlink("../target", path),
    ),
    (
        "hard_link from",
        |root, path| root.hard_link(path, "a/fresh"),
        |path| fs::hard_link(path, origin(path).join("a/fresh")),
    ),
    (
        "hard_link to",
        |root, path| root.hard_link("file", path),
        |path| fs::hard_link(origin(path).join("file"), path),
    ),
    (
        "set_permissions",
        |root, path| root.set_permissions(path, Permissions::from_mode(0o4751)),
        |path| fs::set_permissions(path, Permissions::from_mode(0o4751)),
    ),
    (
        "set_times modified",
        |root, path| root.set_times(path, None, Some(time())),
        |path| fs::File::open(path)?.set_times(fs::FileTimes::new().set_modified(time())),
    ),
    (
        "set_times accessed",
        |root, path| root.set_times(path, Some(time()), None),
        |path| fs::File::open(path)?.set_times(fs::FileTimes::new().set_accessed(time())),
    ),
];

fn origin(path: &Path) -> &Path {
    path.ancestors().find(|path| path.ends_with("root")).unwrap()
}

fn listed(at: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut waiting = vec![at.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let (path, about) = (entry.path(), entry.metadata().unwrap());
            let below = path.strip_prefix(at).unwrap().display();
            let (mode, links) = (about.mode(), about.nlink());
            let times = [about.accessed(), about.modified()].map(Result::unwrap);
            let times = times.map(|at| (at == time(), at == SystemTime::UNIX_EPOCH));
            let target = fs::read_link(&path).unwrap_or_default();
            lines.push(format!("{below} {mode:o} {links} {times:?} {}", target.display()));
            if about.is_dir() {
                waiting.push(path);
            }
        }
    }
    lines.sort();
    lines
}

#[test]
fn paths_in_the_root_are_treated_as_by_the_system() {
    for (label, confined, plain) in PAIRS {
        // Excluded: for `new/.`, the standard library creates nothing, but curt creates `new`, like
        // `mkdir -p`.
        let differs = |path: &&str| (label, *path) != ("create_dir_all", "new/.");
        for path in PATHS.split_whitespace().filter(differs) {
            let expected = tree();
            let outcome =
                plain(&expected.at("root").join(path)).map_err(|error| error.raw_os_error());
            let expected = listed(&expected.at("root"));
            for (scope, _) in SCOPES {
                for (way, without) in WAYS {
                    let scratch = tree();
                    let root = root(&scratch.at("root"), without).scope(scope);
                    let answer = confined(&root, path).map_err(|error| match error.cause() {
                        Cause::Os(error) => error.raw_os_error(),
                        other => panic!("{label} {path}: {other}"),
                    });
                    let case = format!("{label} {path} {scope:?} by {way}");
                    assert_eq!(answer, outcome, "{case}");
                    assert_eq!(listed(&scratch.at("root")), expected, "{case}");
                }
            }
        }
    }
}

#[test]
fn flags_mean_the_same_to_the_kernel() {
    use rustix::fs::{Mode, OFlags, fcntl_getfl, openat};
    let access = [OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR, OFlags::WRONLY | OFlags::RDWR];
    let given =
        |flags: OFlags| OpenOptions::from_flags(i32::from_ne_bytes(flags.bits().to_ne_bytes()));
    let others = OFlags::SYNC | OFlags::DSYNC | OFlags::DIRECT | OFlags::NOATIME | OFlags::NOCTTY;
    let others = others | OFlags::LARGEFILE | OFlags::from_bits_retain(libc::O_ASYNC as u32);
    let alone = others.iter().chain([OFlags::empty()]);
    let sets: Vec<OFlags> = alone.flat_map(|flag| access.map(|access| access | flag)).collect();
    let more = [OFlags::CREATE, OFlags::EXCL, OFlags::TRUNC, OFlags::APPEND, OFlags::NOFOLLOW];
    let more = [&more[..], &[OFlags::NONBLOCK]].concat();
    let scratch = tree();
    for access in sets {
        let is_plain = !access.intersects(others);
        for set in 0..if is_plain { 1_u32 << more.len() } else { 2 } {
            let chosen = more.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            let flags = chosen.fold(access, |flags, (_, &flag)| flags | flag);
            for path in ["old", "new", "link", "new/", "old/"] {
                let at = |work: &dyn Fn() -> Result<OwnedFd, Option<i32>>| {
                    let _ = fs::remove_file(scratch.at("root/new"));
                    fs::write(scratch.at("root/old"), "old").unwrap();
                    let opened = work().map(|fd| {
                        let about = fs::File::from(fd.try_clone().unwrap()).metadata().unwrap();
                        // Ignore `O_NOFOLLOW`, which the kernel reports as a file flag: resolution
                        // in single steps always sets it.
                        let flags = fcntl_getfl(&fd).unwrap().difference(OFlags::NOFOLLOW);
                        (flags, about.mode(), about.len())
                    });
                    (opened, scratch.list("root"))
                };
                let _ = fs::remove_file(scratch.at("root/link"));
                scratch.link("root/link", "old");
                let root_dir = fs::File::open(scratch.at("root")).unwrap();
                let mode = Mode::from_raw_mode(0o4640);
                let raw = flags | OFlags::CLOEXEC;
                let outcome = at(&|| {
                    let opened = openat(&root_dir, path, raw, mode);
                    opened.map_err(|error| Some(error.raw_os_error()))
                });
                for (way, without) in WAYS {
                    let root = root(&scratch.at("root"), without);
                    let mut options = given(flags).unwrap();
                    for at_once in [false, true] {
                        options.mode(0o4640).nonblocking_open(at_once);
                        let answer = at(&|| {
                            let opened = root.open_file(path, &options);
                            opened.map(OwnedFd::from).map_err(|error| error.raw_os_error())
                        });
                        assert_eq!(answer, outcome, "{path} {flags:?} {at_once} by {way}");
                    }
                }
            }
        }
    }
    let mut mode = OpenOptions::new();
    mode.write(true).create_new(true).mode(0o4600);
    for (way, without) in WAYS {
        let _ = fs::remove_file(scratch.at("root/new"));
        let made = root(&scratch.at("root"), without).open_file("new", &mode).unwrap();
        assert_eq!(made.metadata().unwrap().mode() & 0o7777, 0o4600, "{way}");
    }
    for flags in [OFlags::PATH, OFlags::DIRECTORY, OFlags::TMPFILE, OFlags::from_bits_retain(!0)] {
        let error = given(flags).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
    }
    let options = OpenOptions::from_flags(libc::O_RDWR | libc::O_EXCL).unwrap();
    let read = root(&scratch.at("root"), &[]).open_file("old", options.clone().write(false));
    assert_eq!(fcntl_getfl(read.unwrap()).unwrap() & OFlags::RWMODE, OFlags::RDONLY);
}

#[test]
fn only_opening_a_fifo_does_not_wait() {
    use rustix::fs::{OFlags, fcntl_getfl};
    let scratch = tree();
    scratch.fifo("root/fifo");
    for (way, without) in WAYS {
        let root = root(&scratch.at("root"), without);
        for (waits, nonblocking) in [(OFlags::empty(), false), (OFlags::NONBLOCK, true)] {
            let mut options = OpenOptions::new();
            options.nonblocking_open(true).nonblocking(nonblocking);
            let nobody_reads = root.open_file("fifo", options.clone().write(true)).unwrap_err();
            assert_eq!(nobody_reads.raw_os_error(), Some(libc::ENXIO), "{way}");
            let file = root.open_file("fifo", options.read(true)).unwrap();
            assert_eq!(fcntl_getfl(&file).unwrap() & OFlags::NONBLOCK, waits, "{way}");
        }
    }
}

#[test]
fn targets_of_links_are_read_whole() {
    let scratch = tree();
    for length in [1, 255, 256, 257, 511, 512, 513, 1_500, 4_095] {
        let target = "t".repeat(length);
        scratch.link("root/long", &target);
        for (way, without) in WAYS {
            let root = root(&scratch.at("root"), without);
            assert_eq!(root.read_link("long").unwrap(), Path::new(&target), "{length} by {way}");
        }
        fs::remove_file(scratch.at("root/long")).unwrap();
    }
}

#[test]
fn an_absolute_link_kept_in_the_root_is_followed_there() {
    for (way, without) in WAYS {
        let scratch = tree();
        scratch.link("root/absolute", "/a/new");
        let root = root(&scratch.at("root"), without).scope(Scope::InRoot);
        root.set_permissions("/../file", Permissions::from_mode(0o640)).unwrap();
        assert_eq!(fs::metadata(scratch.at("root/file")).unwrap().mode() & 0o7777, 0o640, "{way}");
        root.create_dir_all("a/new").unwrap();
        root.create_dir_all("/absolute/../../../made").unwrap();
        assert!(scratch.at("root/made").is_dir(), "{way}");
        scratch.link("root/a/b/there", "/a");
        let name = root.canonical("a/b/there/../made").unwrap();
        assert_eq!((name.path.as_path(), name.missing), (Path::new("made"), false), "{way}");
    }
}

#[test]
fn a_target_with_a_nul_is_an_error() {
    let scratch = tree();
    let error = root(&scratch.at("root"), &[]).symlink("a\0b", "new").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    assert_eq!(error.to_string().matches("new").count(), 1, "{error}");
}

type Two = fn(&Root, &str, &str) -> Result<(), Error>;

#[test]
fn an_error_names_the_path_that_failed() {
    const LINK: Two = |root, from, to| root.hard_link(from, to);
    const RENAME: Two = |root, from, to| root.rename(from, to);
    let scratch = tree();
    for (_, without) in WAYS {
        let root = root(&scratch.at("root"), without);
        let both = [("hard_link", LINK), ("rename", RENAME)];
        for (label, act) in both {
            let failed = |from: &str, to: &str, wrong: &str| {
                let error = act(&root, from, to).unwrap_err();
                assert_eq!(error.path(), Path::new(wrong), "{label} {from} {to}: {error}");
            };
            failed("file", ".", ".");
            failed("file", "\0", "\0");
            failed("..", "..", "..");
            failed(".", "new", ".");
            failed(".", "../new", "../new");
        }
        let exists = root.hard_link("file", "a/b/file").unwrap_err();
        assert_eq!(exists.path(), Path::new("a/b/file"), "{exists}");
        let full = root.rename("a/empty", "a/b").unwrap_err();
        assert_eq!(full.path(), Path::new("a/b"), "{full}");
    }
}

/// If both paths are wrong, curt must report the error of the path that the kernel checks first.
#[test]
fn two_wrong_paths_fail_as_in_the_kernel() {
    let scratch = tree();
    let long = "n".repeat(300);
    let paths = [
        "file",
        "file/",
        "file/.",
        "file/x",
        "a",
        "a/",
        "a/.",
        "a/..",
        ".",
        "nosuch",
        "nosuch/",
        "nosuch/x",
        "loop",
        "loop/",
        "loop/x",
        "dangling",
        "dangling/",
        "dangling/x",
        "",
        "a/b/file",
        &long,
        &format!("{long}/x"),
        &format!("a/{long}"),
        "new",
        "a/new/",
    ];
    let at = |path: &str| match path {
        "" => PathBuf::new(),
        path => scratch.at("root").join(path),
    };
    for (way, without) in WAYS {
        let root = root(&scratch.at("root"), without);
        for from in paths {
            for to in paths {
                let undone = |linked| {
                    if linked == Ok(()) {
                        fs::remove_file(at(to)).unwrap();
                    }
                    linked
                };
                let errno = |error| Errno::from_io_error(&error).unwrap();
                let theirs = undone(fs::hard_link(at(from), at(to)).map_err(errno));
                let ours = undone(root.hard_link(from, to).map_err(|error| number(&error)));
                assert_eq!(ours, theirs, "link {from:?} {to:?} by {way}");
                if let Err(error) =
                    rustix::fs::renameat_with(CWD, at(from), CWD, at(to), RenameFlags::NOREPLACE)
                {
                    let ours = root.rename_new(from, to).map_err(|error| number(&error));
                    assert_eq!(ours, Err(error), "rename {from:?} {to:?} by {way}");
                } else {
                    fs::rename(at(to), at(from)).unwrap();
                }
            }
        }
    }
}

#[test]
fn unsearchable_directories_can_be_queried() {
    if !rustix::process::geteuid().is_root() {
        return skip("to act as another user needs root");
    }
    if !has_openat2() {
        return skip("the kernel has no openat2");
    }
    let scratch = tree();
    scratch.tree("root", "sealed/x/");
    fs::set_permissions(scratch.at("root"), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(scratch.at("root/sealed"), Permissions::from_mode(0o000)).unwrap();
    let dir: OwnedFd = fs::File::open(scratch.at("root")).unwrap().into();
    let root = root(&scratch.at("root"), &[]);
    let check = || {
        curt_testkit::threads::become_user(65534).unwrap();
        for path in ["sealed", "sealed/", "sealed/.", "sealed/x", "sealed/x/"] {
            let theirs = rustix::fs::statat(&dir, path, AtFlags::empty());
            let theirs = theirs.map(|found| u128::from(found.st_ino));
            let ours = root.stat(path, Fields::ID).map_err(|error| number(&error));
            assert_eq!(ours.map(|found| found.id().known().unwrap()), theirs, "{path}");
        }
    };
    std::thread::scope(|scope| scope.spawn(check).join().unwrap());
}

type Act = fn(&Root) -> Result<(), Error>;

#[test]
fn changes_cost_as_documented() {
    if !has_openat2() {
        return skip("the kernel has no openat2");
    }
    let costs: [(&str, u64, Act); 13] = [
        ("an empty path", 0, |root| root.create_dir_all("")),
        ("an existing tree", 2, |root| root.create_dir_all("a/b")),
        ("one directory in the root", 2, |root| root.create_dir_all("new")),
        ("one directory deeper down", 4, |root| root.create_dir_all("a/b/new")),
        ("three directories deeper down", 12, |root| root.create_dir_all("a/b/1/2/3")),
        ("a directory removed", 3, |root| root.remove_dir("a/empty")),
        ("a link in the root", 1, |root| root.symlink("x", "made")),
        ("a link deeper down", 3, |root| root.symlink("x", "a/made")),
        ("a hard link in the root", 1, |root| root.hard_link("file", "made")),
        ("a hard link deeper down", 5, |root| root.hard_link("a/b/file", "a/made")),
        ("permissions", 3, |root| root.set_permissions("a/b/file", Permissions::from_mode(0o600))),
        ("times", 3, |root| root.set_times("to_file", Some(time()), None)),
        ("a clone", 0, |root| {
            assert_eq!(root.clone().calls().total(), 0);
            Ok(())
        }),
    ];
    for (label, expected, act) in costs {
        let count = |_| {
            let scratch = tree();
            let mut root = root(&scratch.at("root"), &[]);
            let before = root.calls().total();
            act(&root).unwrap();
            root.calls().total() - before
        };
        // The minimum, because any rename in the system can cause another `openat2`.
        assert_eq!((0..20).map(count).min(), Some(expected), "{label}");
    }
}

#[test]
fn roots_are_made_of_descriptors_and_shared_by_threads() {
    let scratch = tree();
    let root = Root::try_from(OwnedFd::from(fs::File::open(scratch.at("root")).unwrap())).unwrap();
    fs::rename(scratch.at("root"), scratch.at("moved")).unwrap();
    root.clone().create_dir_all("of_copy").unwrap();
    let shared = Arc::new(root);
    let threads = ["one", "two", "three"].map(|name| {
        let root = Arc::clone(&shared);
        std::thread::spawn(move || root.create_dir_all(format!("{name}/deep")))
    });
    for thread in threads {
        thread.join().unwrap().unwrap();
    }
    for made in ["of_copy", "one/deep", "two/deep", "three/deep"] {
        assert!(scratch.at("moved").join(made).is_dir(), "{made}");
    }
    let again = Root::try_from(shared.as_fd().try_clone_to_owned().unwrap()).unwrap();
    again.remove_dir("of_copy").unwrap();
    let null = fs::File::open("/dev/null").unwrap();
    for none in [fs::File::open(scratch.at("moved/file")).unwrap(), null] {
        let error = Root::try_from(OwnedFd::from(none)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOTDIR), "{error}");
    }
}
