use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use curt::beneath::{OpenOptions, Scope};
use curt::fields::Follow;
use curt::paths::{Aliases, Refusal};
use curt::{Cause, Error, Fields, Plan, Root};
use curt_testkit::{Scratch, skip};
use rustix::fs::{CWD, Mode, OFlags, RenameFlags, ResolveFlags, openat2, renameat_with};
use rustix::io::Errno;

use crate::{SCOPES, WAYS, has_openat2, root};

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with("out/secret", b"secret");
    scratch.file_with("root/file", b"file");
    scratch.file_with("root/a/b/c/file", b"deep");
    scratch.tree("", "root/a/empty/ root/out/");
    let tree = "to_file->file to_dir->a/b to_dir_slash->a/b/ to_file_slash->file/ to_link->to_dir \
         to_root->. to_dots->a/../a/b dangling->nosuch dangling_below->a/empty/new \
         dangling_out->../out/new loop->loop loop_a->loop_b loop_b->loop_a up->../out \
         up_file->../out/secret up_and_in->../root/file absolute->/etc absolute_root->/ \
         absolute_in->/a/b proc->/proc a/b/up->../../file a/b/up_two->../.. \
         a/b/up_three->../../.. a/b/up_out->../../../out/secret a/self->../a";
    scratch.tree("root", tree);
    scratch.link("root/absolute_file", scratch.at("root/file"));
    scratch.link("root/chain0", "file");
    for number in 1..=41 {
        scratch.link(format!("root/chain{number}"), format!("chain{}", number - 1));
    }
    scratch
}

/// Paths that end in a blank are added separately.
const PATHS: &str = "
    . ./ .. ../ ../. ./.. file file/ file/. file/.. file/../file ./file file// a a/ a// a/.
    a/.. a/../ a/../.. a/../../ a/../file a/b/c/file a//b/./c//file a/b/../../file
    a/b/../../../root/file a/b/../../.. ../root/file nosuch nosuch/ nosuch/. nosuch/..
    nosuch/../file nosuch/x a/nosuch a/nosuch/../b a/../../nosuch nosuch/../.. to_file
    to_file/ to_file/. to_file/.. to_dir to_dir/ to_dir/. to_dir/.. to_dir/../b to_dir/c/file
    to_dir/../../file to_dir/../../.. to_dir_slash to_dir_slash/ to_dir_slash/c to_file_slash
    to_file_slash/ to_link to_link/ to_link/c/file to_link/../b to_root to_root/ to_root/file
    to_root/to_root/to_root/file to_root/.. to_dots to_dots/c/file dangling dangling/
    dangling/.. dangling/x dangling_below dangling_below/ dangling_out dangling_out/ loop
    loop/ loop/x loop/.. loop_a up up/ up/secret up/../root/file up_file up_file/ up_and_in
    absolute absolute/ absolute/passwd absolute_root absolute_root/ absolute_root/file
    absolute_root/../file absolute_in absolute_in/c/file absolute_file a/b/up a/b/up/
    a/b/up_two a/b/up_two/file a/b/up_three a/b/up_three/ a/b/up_out a/self/self/self/b
    a/self/../file chain39 chain40 chain41 chain39/ proc proc/self out out/secret \u{fc} a\\b
    C: C:/x nul file. file::$DATA
";

fn long_paths() -> [String; 4] {
    let steps = |step: &str, count| step.repeat(count) + "file";
    [steps("./", 2045), steps("./", 2046), "n".repeat(256) + "/file", steps("a/../", 818)]
}

const ABSOLUTE: &[&str] =
    &["/", "//", "/file", "//file", "/..", "/../file", "/a/b/c/file", "/out/secret", "/etc/passwd"];

pub(crate) type Answer = Result<PathBuf, Errno>;

pub(crate) fn name_of(scratch: &Scratch, file: impl AsFd) -> PathBuf {
    use std::os::fd::AsRawFd;
    let name = std::fs::read_link(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())).unwrap();
    let base = scratch.path().canonicalize().unwrap();
    name.strip_prefix(&base).map_or(name.clone(), PathBuf::from)
}

pub(crate) fn kernel(scratch: &Scratch, path: &str, flags: OFlags, scope: ResolveFlags) -> Answer {
    let dir: OwnedFd = File::open(scratch.at("root")).unwrap().into();
    let mode =
        if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(0o666) } else { Mode::empty() };
    let resolve = scope | ResolveFlags::NO_MAGICLINKS;
    loop {
        // A rename anywhere in the system can cause EAGAIN.
        match openat2(&dir, path, flags | OFlags::CLOEXEC, mode, resolve) {
            Err(Errno::AGAIN) => {}
            answer => return answer.map(|fd| name_of(scratch, fd)),
        }
    }
}

/// Returns the kernel's number for this failure. A refused magic link counts as a loop.
pub(crate) fn number(error: &Error) -> Errno {
    match error.cause() {
        Cause::Refused(Refusal::Escape | Refusal::Absolute) => Errno::XDEV,
        Cause::Refused(Refusal::Link) => Errno::LOOP,
        Cause::Refused(Refusal::Empty) => Errno::NOENT,
        Cause::Os(error) => Errno::from_io_error(error).unwrap(),
        other => panic!("{other}"),
    }
}

pub(crate) type Operation =
    (&'static str, OFlags, fn(&Scratch, &Root, &str) -> Result<PathBuf, Error>);

pub(crate) const OPERATIONS: [Operation; 11] = [
    ("read", OFlags::RDONLY, |scratch, root, path| {
        open(scratch, root, path, OpenOptions::new().read(true))
    }),
    ("read what is no link", OFlags::RDONLY.union(OFlags::NOFOLLOW), |scratch, root, path| {
        open(scratch, root, path, OpenOptions::new().read(true).follow(Follow::Never))
    }),
    ("enter", OFlags::PATH.union(OFlags::DIRECTORY), |scratch, root, path| {
        Ok(name_of(scratch, root.open_dir(path)?))
    }),
    ("list", OFlags::RDONLY.union(OFlags::DIRECTORY), |scratch, root, path| {
        Ok(name_of(scratch, root.read_dir(path)?))
    }),
    ("name", OFlags::PATH, |_, root, path| {
        let found = root.canonical(path)?;
        if found.missing {
            let parent = found.path.parent().unwrap();
            assert!(root.open_dir(Path::new(".").join(parent)).is_ok(), "{path}");
            return Err(root.open_file(path, OpenOptions::new().read(true)).unwrap_err());
        }
        Ok(PathBuf::from("root").join(found.path).components().collect())
    }),
    ("ask", OFlags::PATH, |scratch, root, path| stat(scratch, root, path, Follow::Links)),
    ("ask about the link", OFlags::PATH.union(OFlags::NOFOLLOW), |scratch, root, path| {
        stat(scratch, root, path, Follow::Never)
    }),
    ("write", OFlags::WRONLY, |scratch, root, path| {
        open(scratch, root, path, OpenOptions::new().write(true))
    }),
    ("create", OFlags::WRONLY.union(OFlags::CREATE), |scratch, root, path| {
        open(scratch, root, path, OpenOptions::new().write(true).create(true))
    }),
    (
        "create a new file",
        OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL),
        |scratch, root, path| {
            open(scratch, root, path, OpenOptions::new().write(true).create_new(true))
        },
    ),
    (
        "create what is no link",
        OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::NOFOLLOW),
        |scratch, root, path| {
            open(
                scratch,
                root,
                path,
                OpenOptions::new().write(true).create(true).follow(Follow::Never),
            )
        },
    ),
];

fn open(
    scratch: &Scratch,
    root: &Root,
    path: &str,
    options: &OpenOptions,
) -> Result<PathBuf, Error> {
    Ok(name_of(scratch, root.open_file(path, options)?))
}

fn stat(scratch: &Scratch, root: &Root, path: &str, follow: Follow) -> Result<PathBuf, Error> {
    let id = root.stat(path, Plan::new(Fields::ID).follow(follow))?.id().known().unwrap();
    let lines = scratch.list("");
    let mut names = lines.iter().map(|line| &line[2..]).chain([""]);
    let is_it = |name: &&str| u128::from(scratch.at(name).symlink_metadata().unwrap().ino()) == id;
    Ok(names.find(is_it).unwrap().into())
}

#[test]
fn paths_resolve_as_in_the_kernel() {
    if !has_openat2() {
        return skip("this kernel, or a filter, has no openat2 to compare with");
    }
    let long = long_paths();
    let paths = PATHS.split_whitespace().chain(["file "]).chain(long.iter().map(String::as_str));
    for (operation, flags, act) in OPERATIONS {
        let mut scratch = tree();
        let before = scratch.list("");
        for (scope, resolve) in SCOPES {
            let absolute = if scope == Scope::InRoot { ABSOLUTE } else { &[] };
            for path in paths.clone().chain(absolute.iter().copied()) {
                let expected = kernel(&scratch, path, flags, resolve);
                let after = scratch.list("");
                for (way, without) in WAYS {
                    if after != before {
                        scratch = tree();
                    }
                    let root = root(&scratch.at("root"), without).scope(scope);
                    let answer = loop {
                        match act(&scratch, &root, path).map_err(|error| number(&error)) {
                            Err(Errno::AGAIN) => {}
                            answer => break answer,
                        }
                    };
                    let case = format!("{operation} {path:?} {scope:?} by {way}");
                    assert_eq!(answer, expected, "{case}");
                    if flags.contains(OFlags::CREATE) {
                        assert_eq!(scratch.list(""), after, "{case}");
                    }
                }
                if after != before {
                    scratch = tree();
                }
            }
        }
    }
}

#[test]
fn renaming_answers_as_the_system_does() {
    const NAMES: &str = "
        . ./ a a/ a/. a/.. a/b/.. a/b a/empty a/empty/ file file/ file/. nosuch nosuch/ nosuch/.
        nosuch/x to_file to_dir to_dir/ to_dir/new
    ";
    for ((way, without), replace) in WAYS.iter().flat_map(|&way| [(way, true), (way, false)]) {
        let (mut ours, mut theirs) = (tree(), tree());
        let before = ours.list("");
        let flags = if replace { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
        for from in NAMES.split_whitespace() {
            for to in NAMES.split_whitespace() {
                let root = root(&ours.at("root"), without);
                let renamed =
                    if replace { root.rename(from, to) } else { root.rename_new(from, to) };
                let answer = renamed.map_err(|error| number(&error));
                let at = |path: &str| format!("{}/{path}", theirs.at("root").display());
                let expected = renameat_with(CWD, at(from), CWD, at(to), flags);
                assert_eq!(answer, expected, "{from:?} to {to:?} by {way}, {flags:?}");
                let list = ours.list("");
                assert_eq!(list, theirs.list(""), "{from:?} to {to:?} by {way}");
                if list != before {
                    (ours, theirs) = (tree(), tree());
                }
            }
        }
    }
}

#[test]
fn unreadable_links_of_processes_are_links() {
    if !rustix::process::geteuid().is_root() {
        return skip("a process that may not be looked at is one of root's");
    }
    if !has_openat2() {
        return skip("this kernel, or a filter, has no openat2 to compare with");
    }
    let act = || {
        curt_testkit::threads::become_user(65534).unwrap();
        let dir: OwnedFd = File::open("/proc").unwrap().into();
        for path in ["1/root", "1/root/", "1/root/etc", "1/cwd/x", "1/exe"] {
            for (aliases, links) in [
                (Aliases::Open, ResolveFlags::NO_MAGICLINKS),
                (Aliases::Strict, ResolveFlags::NO_SYMLINKS),
            ] {
                let resolve = ResolveFlags::BENEATH | links;
                let expected = openat2(&dir, path, OFlags::PATH, Mode::empty(), resolve);
                let expected = expected.map(drop).unwrap_err();
                for (way, without) in WAYS {
                    let root = root(std::path::Path::new("/proc"), without).aliases(aliases);
                    let opened = root.open_file(path, OpenOptions::new().read(true)).map(drop);
                    let case = format!("{path} {aliases:?} by {way}");
                    assert_eq!(opened.map_err(|error| number(&error)), Err(expected), "{case}");
                    let entered = root.open_dir(path).map(drop);
                    assert_eq!(entered.map_err(|error| number(&error)), Err(expected), "{case}");
                    let named = root.canonical(path).map(drop);
                    assert_eq!(named.map_err(|error| number(&error)), Err(expected), "{case}");
                }
            }
        }
    };
    std::thread::scope(|threads| threads.spawn(act).join().unwrap());
}

#[test]
fn magic_links_are_not_followed() {
    let link = |path: &str, without, scope| {
        let root = root(std::path::Path::new("/proc"), without).scope(scope);
        let error = root.open_file(path, OpenOptions::new().read(true)).err();
        error.map(|error| (error.to_string(), number(&error)))
    };
    for (_, without) in WAYS {
        for (scope, _) in SCOPES {
            for path in
                ["self/exe", "self/cwd", "self/root", "self/fd/0", "self/ns/net", "self/cwd/x"]
            {
                let (text, number) = link(path, without, scope).unwrap();
                assert_eq!(number, Errno::LOOP, "{path} {text}");
                assert!(text.contains("a link that is not followed"), "{path} {text}");
            }
            assert_eq!(link("self/status", without, scope), None, "a plain link of /proc");
            assert_eq!(link("mounts", without, scope), None, "two plain links");
        }
    }
}
