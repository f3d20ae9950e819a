use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use curt_testkit::Scratch;

use crate::fields::Kind;
use crate::sys::copying::Copying;
use crate::sys::fault::Faults;
use crate::sys::memory::{self, Memory, World};
use crate::sys::{Setup, Sys, Which};

#[derive(Clone, Copy)]
pub(super) struct Differences {
    pub(super) opening: &'static str,
    pub(super) shortages: &'static [i32],
    /// Calls that remove entries. Tests make them fail with `denied` and `gone`.
    pub(super) removing: &'static [&'static str],
    pub(super) denied: i32,
    pub(super) gone: i32,
    /// Whether an open directory is removed even if it was moved.
    pub(super) removes_by_handle: bool,
    /// Whether a rewound listing shows changes. False on Wine.
    pub(super) lists_again: bool,
    /// Whether the system resolves paths under POSIX rules.
    pub(super) queries_by_path: bool,
    pub(super) has_content: bool,
    /// A child of the working directory and, if known, a mount point in the root.
    pub(super) known: (&'static str, Option<&'static str>),
}

impl Differences {
    const UNIX: Differences = Differences {
        opening: "openat",
        // EMFILE, ENFILE, ENOMEM.
        shortages: &[24, 23, 12],
        removing: &["unlinkat", "remove_file", "remove_dir"],
        denied: 5,
        gone: 2,
        removes_by_handle: false,
        lists_again: true,
        queries_by_path: true,
        has_content: true,
        known: ("src", if cfg!(target_os = "linux") { Some("proc") } else { None }),
    };

    pub(super) fn of_system(opening: &'static str) -> Differences {
        #[cfg(windows)]
        use windows_sys::Win32::Foundation as codes;
        Differences {
            opening,
            #[cfg(windows)]
            shortages: &[codes::STATUS_TOO_MANY_OPENED_FILES, codes::STATUS_INSUFFICIENT_RESOURCES],
            #[cfg(windows)]
            removing: &["NtSetInformationFile"],
            #[cfg(windows)]
            denied: codes::STATUS_ACCESS_DENIED,
            #[cfg(windows)]
            gone: codes::STATUS_OBJECT_NAME_NOT_FOUND,
            #[cfg(windows)]
            lists_again: !crate::sys::windows::native::is_wine(),
            removes_by_handle: cfg!(windows),
            queries_by_path: cfg!(unix),
            ..Differences::UNIX
        }
    }
}

/// Paths are relative to `base`.
pub(super) trait Testbed {
    type S: Which + Copying;
    fn differences(&self) -> Differences;
    fn setup(&self) -> Setup;
    fn base(&self) -> PathBuf;
    fn dir(&self, path: &str);
    fn file(&self, path: &Path, content: &[u8]);
    fn hard_link(&self, original: &str, path: &str);
    /// Returns whether tests can create symlinks.
    fn link(&self, path: &str, target: &str) -> bool;
    /// Returns whether tests can create pipes.
    fn fifo(&self, path: &str) -> bool;
    fn program(&self, path: &str);
    fn rename(&self, from: &str, to: &str);
    fn list(&self, path: &str) -> Vec<String>;
    /// Returns a number for the content of a file.
    fn content(&self, path: &str) -> u64;
    fn assert_nothing_open(&self);

    fn at(&self, path: &str) -> PathBuf {
        path.split('/').fold(self.base(), |at, part| at.join(part))
    }

    fn start(&self) -> Self::S {
        Self::S::start(&self.setup())
    }

    fn setup_with(&self, faults: Faults) -> Setup {
        Setup { faults: Some(Arc::new(faults)), ..self.setup() }
    }

    fn files<'a>(&self, paths: impl IntoIterator<Item = &'a str>) {
        for path in paths {
            self.file(Path::new(path), b"");
        }
    }
}

pub(super) struct Real<S> {
    scratch: Scratch,
    setup: Setup,
    differences: Differences,
    platform: PhantomData<S>,
}

impl<S> Real<S> {
    pub(super) fn new(setup: Setup, opening: &'static str) -> Self {
        let differences = Differences::of_system(opening);
        Real { scratch: Scratch::new(), setup, differences, platform: PhantomData }
    }
}

impl<S: Which + Copying> Testbed for Real<S> {
    type S = S;

    fn differences(&self) -> Differences {
        self.differences
    }

    fn setup(&self) -> Setup {
        self.setup.clone()
    }

    fn base(&self) -> PathBuf {
        self.scratch.path().to_owned()
    }

    fn dir(&self, path: &str) {
        self.scratch.dir(path);
    }

    fn file(&self, path: &Path, content: &[u8]) {
        self.scratch.file_with(path, content);
    }

    fn hard_link(&self, original: &str, path: &str) {
        self.scratch.hard_link(original, path);
    }

    fn link(&self, path: &str, target: &str) -> bool {
        #[cfg(unix)]
        self.scratch.link(path, target);
        let _ = (path, target);
        cfg!(unix)
    }

    fn fifo(&self, path: &str) -> bool {
        #[cfg(unix)]
        self.scratch.fifo(path);
        let _ = path;
        cfg!(unix)
    }

    fn program(&self, path: &str) {
        #[cfg(unix)]
        self.scratch.script(path, "", 0o755);
        #[cfg(windows)]
        self.scratch.file(path);
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.scratch.at(from), self.scratch.at(to)).unwrap();
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.scratch.list(path)
    }

    fn content(&self, path: &str) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&std::fs::read(self.scratch.at(path)).unwrap(), &mut hasher);
        std::hash::Hasher::finish(&hasher)
    }

    /// Looks for paths, because other tests open and close descriptors in parallel.
    fn assert_nothing_open(&self) {
        let Ok(descriptors) = std::fs::read_dir("/proc/self/fd") else {
            return;
        };
        for descriptor in descriptors.flatten() {
            let leads_to = std::fs::read_link(descriptor.path()).unwrap_or_default();
            assert!(!leads_to.starts_with(self.scratch.path()), "{} is open", leads_to.display());
        }
    }
}

pub(super) struct InMemory(memory::Setup);

impl InMemory {
    pub(super) fn new(mut world: World) -> Self {
        world.dir("base").mount("mounted", 2);
        InMemory(memory::Setup::new(world))
    }
}

fn below(path: impl AsRef<Path>) -> Vec<u8> {
    let path = path.as_ref().as_os_str().as_encoded_bytes();
    let separated = path.split(|&byte| std::path::is_separator(byte.into()));
    [&b"base"[..]].into_iter().chain(separated).collect::<Vec<_>>().join(&b'/')
}

impl Testbed for InMemory {
    type S = Memory;

    fn differences(&self) -> Differences {
        Differences { has_content: false, known: ("base", Some("mounted")), ..Differences::UNIX }
    }

    fn setup(&self) -> memory::Setup {
        self.0.clone()
    }

    fn base(&self) -> PathBuf {
        "base".into()
    }

    fn at(&self, path: &str) -> PathBuf {
        format!("base/{path}").into()
    }

    fn dir(&self, path: &str) {
        self.0.world(|world| _ = world.dir(below(path)));
    }

    fn file(&self, path: &Path, content: &[u8]) {
        self.0.world(|world| _ = world.sized_file(below(path), content.len() as u64));
    }

    fn hard_link(&self, original: &str, path: &str) {
        self.0.world(|world| _ = world.hard_link(&format!("base/{original}"), below(path)));
    }

    fn link(&self, path: &str, target: &str) -> bool {
        self.0.world(|world| _ = world.link(below(path), target));
        true
    }

    fn fifo(&self, path: &str) -> bool {
        self.0.world(|world| _ = world.special(below(path), Kind::Fifo));
        true
    }

    fn program(&self, path: &str) {
        self.file(Path::new(path), b"");
    }

    fn rename(&self, from: &str, to: &str) {
        self.0.world(|world| _ = world.rename(below(from), below(to)));
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.0.world(|world| world.list(below(path)))
    }

    fn content(&self, path: &str) -> u64 {
        self.0.world(|world| {
            let node = world.find(&below(path)).and_then(|node| world.node(node).content);
            node.map_or(u64::MAX, |number| number as u64)
        })
    }

    fn assert_nothing_open(&self) {
        self.0.world(|world| assert_eq!(world.open_now(), 0));
    }
}
