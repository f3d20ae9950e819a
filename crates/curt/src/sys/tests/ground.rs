//! What the contract's questions are asked on.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use curt_testkit::Scratch;

use crate::sys::beneath::Beneath;
use crate::sys::fault::Faults;
use crate::sys::memory::{self, Memory, World};
use crate::sys::{Lookup, Setup, Sys};

/// A place to build in, and the platform that is asked about it. Paths are relative to `base`.
pub(super) trait Ground {
    type S: Lookup + Beneath;
    /// The call that opens a directory for listing, for faults to be planned on.
    fn opening(&self) -> &'static str;
    /// What the platform's calls answer where descriptors or memory are used up.
    fn shortages(&self) -> &'static [i32] {
        // EMFILE, ENFILE, ENOMEM.
        &[24, 23, 12]
    }
    fn setup(&self) -> Setup;
    fn setup_with(&self, faults: Faults) -> Setup;
    /// The directory that all is built in, as an operand would spell it.
    fn base(&self) -> PathBuf;
    /// A directory of the working directory, and a mount point of the root.
    fn known(&self) -> (&'static str, Option<&'static str>);
    /// A path below the base, as an operand would spell it.
    fn at(&self, path: &str) -> PathBuf {
        path.split('/').fold(self.base(), |at, part| at.join(part))
    }
    fn dir(&self, path: &str);
    fn file(&self, path: &Path, content: &[u8]);
    fn hard_link(&self, original: &str, path: &str);
    /// Makes a symbolic link, where a test may.
    fn link(&self, path: &str, target: &str) -> bool;
    /// Makes a named pipe, where a test may.
    fn fifo(&self, path: &str) -> bool;
    /// Makes a file that may be executed.
    fn program(&self, path: &str);
    /// Whether the system itself resolves paths, by the rules of POSIX.
    fn asks_by_path(&self) -> bool {
        true
    }
    fn rename(&self, from: &str, to: &str);
    fn list(&self, path: &str) -> Vec<String>;
    /// The calls that remove, an error of theirs that means "access denied" (5), and one that means
    /// that nothing is there.
    fn refusals(&self) -> (&'static [&'static str], i32, i32) {
        (&["unlinkat", "remove_file", "remove_dir"], 5, 2)
    }
    /// Whether an open directory is removed wherever it has been moved to.
    fn removes_by_handle(&self) -> bool {
        false
    }
    /// Whether a listing that begins again shows what is new.
    fn lists_again(&self) -> bool {
        true
    }
    /// Panics if something in the base is still open.
    fn assert_nothing_open(&self);

    fn start(&self) -> Self::S {
        Self::S::start(&self.setup())
    }

    fn files<'a>(&self, paths: impl IntoIterator<Item = &'a str>) {
        for path in paths {
            self.file(Path::new(path), b"");
        }
    }
}

/// A scratch directory of the true system.
pub(super) struct Real<S> {
    scratch: Scratch,
    setup: Setup,
    opening: &'static str,
    platform: PhantomData<S>,
}

impl<S> Real<S> {
    pub(super) fn new(setup: Setup, opening: &'static str) -> Self {
        Real { scratch: Scratch::new(), setup, opening, platform: PhantomData }
    }
}

impl<S: Lookup + Beneath> Ground for Real<S> {
    type S = S;

    fn opening(&self) -> &'static str {
        self.opening
    }

    #[cfg(windows)]
    fn shortages(&self) -> &'static [i32] {
        use windows_sys::Win32::Foundation as codes;
        &[codes::STATUS_TOO_MANY_OPENED_FILES, codes::STATUS_INSUFFICIENT_RESOURCES]
    }

    fn setup(&self) -> Setup {
        self.setup.clone()
    }

    fn setup_with(&self, faults: Faults) -> Setup {
        Setup { faults: Some(Arc::new(faults)), ..self.setup.clone() }
    }

    fn base(&self) -> PathBuf {
        self.scratch.path().to_owned()
    }

    fn known(&self) -> (&'static str, Option<&'static str>) {
        ("src", cfg!(target_os = "linux").then_some("proc"))
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
        // What may be executed is for the extension to say.
        #[cfg(windows)]
        self.scratch.file(path);
    }

    fn asks_by_path(&self) -> bool {
        cfg!(unix)
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.scratch.at(from), self.scratch.at(to)).unwrap();
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.scratch.list(path)
    }

    #[cfg(windows)]
    fn refusals(&self) -> (&'static [&'static str], i32, i32) {
        use windows_sys::Win32::Foundation as codes;
        (
            &["NtSetInformationFile"],
            codes::STATUS_ACCESS_DENIED,
            codes::STATUS_OBJECT_NAME_NOT_FOUND,
        )
    }

    fn removes_by_handle(&self) -> bool {
        cfg!(windows)
    }

    /// Wine keeps what it read at first.
    #[cfg(windows)]
    fn lists_again(&self) -> bool {
        !crate::sys::windows::native::is_wine()
    }

    /// By where the descriptors lead, not by their numbers, which other tests take and leave.
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

/// The tree in memory.
pub(super) struct Imagined(memory::Setup);

impl Imagined {
    pub(super) fn new(mut world: World) -> Self {
        world.dir("base").mount("mounted", 2);
        Imagined(memory::Setup::new(world))
    }
}

fn below(path: impl AsRef<Path>) -> Vec<u8> {
    let path = path.as_ref().as_os_str().as_encoded_bytes();
    let separated = path.split(|&byte| std::path::is_separator(byte.into()));
    [&b"base"[..]].into_iter().chain(separated).collect::<Vec<_>>().join(&b'/')
}

impl Ground for Imagined {
    type S = Memory;

    fn opening(&self) -> &'static str {
        "openat"
    }

    fn setup(&self) -> memory::Setup {
        self.0.clone()
    }

    fn setup_with(&self, faults: Faults) -> memory::Setup {
        self.0.clone().with_faults(faults)
    }

    fn base(&self) -> PathBuf {
        "base".into()
    }

    fn known(&self) -> (&'static str, Option<&'static str>) {
        ("base", Some("mounted"))
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
        self.0.world(|world| _ = world.special(below(path), crate::fields::Kind::Fifo));
        true
    }

    /// All files may be executed here.
    fn program(&self, path: &str) {
        self.file(Path::new(path), b"");
    }

    fn rename(&self, from: &str, to: &str) {
        self.0.world(|world| _ = world.rename(below(from), below(to)));
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.0.world(|world| world.list(below(path)))
    }

    fn assert_nothing_open(&self) {
        self.0.world(|world| assert_eq!(world.open_now(), 0));
    }
}
