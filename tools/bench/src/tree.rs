//! Sample trees. Shapes, names and sizes are computed from an entry's position, so every machine
//! gets the same trees without a download.

use crate::react;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Empty,
    Each(u64),
    /// Every sixteenth file has content, of different lengths: quick to write, but distinguishable.
    Some,
}

#[derive(Debug)]
struct Directory {
    path: PathBuf,
    files: u32,
}

#[derive(Debug)]
pub(crate) struct Tree {
    directories: Vec<Directory>,
    content: Content,
    /// Whether to replace the root's first file with a symlink out of the tree, if the system
    /// allows it.
    has_link: bool,
    /// The index of the directory in `PATH` that also holds programs, and the number of programs,
    /// which entry counts exclude.
    programs: Option<(usize, u32)>,
}

pub(crate) const REACT_ENTRIES: u32 = 41_208;
const REACT_FILES: u32 = 36_346;
const REACT_DIRECTORIES: usize = 4_863;
pub(crate) const ENTRIES: u32 = 211;
pub(crate) const PLACE: usize = 196;

impl Tree {
    fn new(directories: impl IntoIterator<Item = (PathBuf, u32)>, content: Content) -> Self {
        let directories = directories.into_iter().map(|(path, files)| Directory { path, files });
        let mut directories: Vec<Directory> = directories.collect();
        // Sort depth first, as unpackers write, so that entries removed together are close together
        // on disk.
        directories.sort_by(|a, b| a.path.cmp(&b.path));
        Self { directories, content, has_link: true, programs: None }
    }

    /// Returns the tree of `npx create-react-app`: 36,346 files in 4,863 directories including the
    /// root, at most 10 levels deep. Fewer `entries` give a smaller tree of similar shape.
    pub(crate) fn react(entries: u32, content: Content) -> Self {
        let part = f64::from(entries) / f64::from(REACT_ENTRIES);
        let directories = ((REACT_DIRECTORIES as f64 * part) as usize).max(60);
        let files = ((f64::from(REACT_FILES) * part) as u32).max(400);
        Self::new(react::directories(directories, files), content)
    }

    pub(crate) fn small_directories(count: u32, content: Content) -> Self {
        let below = (0..count as usize).map(|at| (folder_in_path(at).into(), 2 + at as u32 % 3));
        Self::new([(PathBuf::new(), 1)].into_iter().chain(below), content)
    }

    pub(crate) fn path(entries: u32, place: usize, programs: u32) -> Self {
        let tree = Self::small_directories(entries, Content::Empty);
        Self { programs: Some((place, programs)), ..tree }
    }

    pub(crate) fn flat(files: u32, content: Content) -> Self {
        Self::new([(PathBuf::new(), files)], content)
    }

    pub(crate) fn deep(files: u32) -> Self {
        let names = ["a", "b", "c", "d", "e", "f"];
        let files = |depth| if depth == names.len() { files } else { 0 };
        let directories =
            (0..=names.len()).map(|depth| (names[..depth].iter().collect(), files(depth)));
        Self::new(directories, Content::Empty).without_link()
    }

    pub(crate) fn without_link(self) -> Self {
        Self { has_link: false, ..self }
    }

    fn files(&self) -> u64 {
        self.directories.iter().map(|directory| u64::from(directory.files)).sum()
    }

    pub(crate) fn entries(&self) -> u64 {
        self.files() + self.directories.len() as u64 - 1
    }

    pub(crate) fn room(&self) -> u64 {
        let each = if let Content::Each(bytes) = self.content { bytes } else { 0 };
        (self.files() + 2 * self.directories.len() as u64) * (5_000 + each)
    }

    fn size(&self, file: u64) -> u64 {
        match self.content {
            Content::Some if file % 16 == 5 => 1 + file / 16 % 999,
            Content::Empty | Content::Some => 0,
            Content::Each(bytes) => bytes,
        }
    }

    /// `root` must not exist. Its first entry becomes a symlink to `link`.
    pub(crate) fn build(&self, root: &Path, link: &Path) -> io::Result<()> {
        let mut written = 0;
        for directory in &self.directories {
            let path = root.join(&directory.path);
            std::fs::create_dir(&path)?;
            let may_link = self.has_link && written == 0 && directory.files > 0;
            let is_linked = may_link && make_link(link, &path.join("link")).is_ok();
            let files = (u32::from(is_linked)..directory.files)
                .map(|index| (file_name(index), self.size(written + u64::from(index))));
            fill(&path, files)?;
            written += u64::from(directory.files);
        }
        let (place, count) = self.programs.unwrap_or_default();
        let folder = root.join(folder_in_path(place));
        (0..count).try_for_each(|index| put_program(&folder.join(program_name(index))))
    }
}

pub(crate) fn folder_in_path(place: usize) -> String {
    format!("package-{place:05}")
}

pub(crate) fn directories(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut directories: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            directories.push(entry.path());
        }
    }
    directories.sort();
    Ok(directories)
}

pub(crate) fn program_name(index: u32) -> String {
    if index == 0 { "hello".to_owned() } else { format!("hello-{index}") }
}

/// Makes a symlink to a system program, because the tree's filesystem may be mounted `noexec`.
fn put_program(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink("/bin/sh", path);
    #[cfg(not(unix))]
    return std::fs::write(path, []);
}

/// Names are as long as in real packages: the length determines how many fit in one `getdents64`
/// buffer.
fn file_name(index: u32) -> String {
    const STEMS: [&str; 8] =
        ["index", "utils", "parse-options", "createElement", "types", "a11y", "isPlain", "README"];
    const ENDINGS: [&str; 6] = ["js", "d.ts", "js.map", "json", "mjs", "md"];
    let stem = STEMS[index as usize % STEMS.len()];
    let ending = ENDINGS[index as usize / STEMS.len() % ENDINGS.len()];
    format!("{stem}{index}.{ending}")
}

/// Creates files, with one `mknodat` call for an empty file. A quick run spends most of its time
/// here.
#[cfg(target_os = "linux")]
fn fill(path: &Path, files: impl Iterator<Item = (String, u64)>) -> io::Result<()> {
    use rustix::fs::{CWD, FallocateFlags, FileType, Mode, OFlags, mknodat, openat};
    let mode = Mode::from_raw_mode(0o644);
    let directory = openat(CWD, path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for (name, bytes) in files {
        if bytes == 0 {
            mknodat(&directory, &name, FileType::RegularFile, mode, 0)?;
            continue;
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = openat(&directory, &name, flags, mode)?;
        // Allocate blocks now, or removing a new tree would differ from removing an old one.
        let _ = rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, bytes);
        std::fs::File::from(file).write_all(&vec![b'c'; bytes as usize])?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn fill(path: &Path, files: impl Iterator<Item = (String, u64)>) -> io::Result<()> {
    for (name, bytes) in files {
        std::fs::File::create_new(path.join(name))?.write_all(&vec![b'c'; bytes as usize])?;
    }
    Ok(())
}

fn make_link(target: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(windows)]
    {
        std::os::windows::fs::symlink_dir(target, link)?;
        std::fs::symlink_metadata(link).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Sandbox;
    use std::collections::HashSet;

    #[test]
    fn react_is_the_tree_that_people_have() {
        let tree = Tree::react(REACT_ENTRIES, Content::Empty);
        assert_eq!((tree.files(), tree.directories.len()), (36_346, 4_863));
        let depth = |directory: &Directory| directory.path.components().count() + 1;
        assert_eq!(tree.directories.iter().map(depth).max(), Some(10));
        let largest = tree.directories.iter().map(|directory| directory.files).max().unwrap();
        let few = tree.directories.iter().filter(|directory| directory.files <= 5).count();
        assert!(largest >= 50 && few > tree.directories.len() / 3, "{largest} {few}");
        let part = Tree::react(REACT_ENTRIES / 8, Content::Empty);
        assert_eq!((part.files(), part.directories.len()), (36_346 / 8, 4_863 / 8));
    }

    #[test]
    fn shapes_repeat_themselves_and_hold_no_path_twice() {
        for make in [
            || Tree::react(REACT_ENTRIES, Content::Empty),
            || Tree::react(41, Content::Empty),
            || Tree::small_directories(20_000, Content::Empty),
        ] {
            let paths = |tree: &Tree| -> Vec<PathBuf> {
                tree.directories.iter().map(|directory| directory.path.clone()).collect()
            };
            let tree = paths(&make());
            assert_eq!(tree, paths(&make()));
            let seen: HashSet<_> = tree.iter().map(PathBuf::as_path).collect();
            assert!(seen.len() == tree.len() && tree[0].as_os_str().is_empty());
            assert!(tree[1..].iter().all(|path| seen.contains(path.parent().unwrap())));
        }
    }

    fn count(path: &Path) -> (u64, u64) {
        let (mut entries, mut bytes) = (0, 0);
        for entry in std::fs::read_dir(path).unwrap() {
            let data = entry.as_ref().unwrap().metadata().unwrap();
            entries += 1;
            if data.is_dir() {
                let below = count(&entry.unwrap().path());
                (entries, bytes) = (entries + below.0, bytes + below.1);
            } else if data.is_file() {
                bytes += data.len();
            }
        }
        (entries, bytes)
    }

    #[test]
    fn what_is_written_is_what_was_computed() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        for (name, tree) in [
            ("react", Tree::react(640, Content::Some)),
            ("flat", Tree::flat(300, Content::Each(4096))),
            ("small", Tree::small_directories(3, Content::Empty)),
            ("deep", Tree::deep(5)),
        ] {
            let root = sandbox.entry(name);
            tree.build(&root, &sandbox.canary()).unwrap();
            let (entries, bytes) = count(&root);
            assert_eq!(entries, tree.entries(), "{name}");
            let all: u64 = (0..tree.files()).map(|file| tree.size(file)).sum();
            assert!(bytes == all || bytes == all - tree.size(0), "{name}");
            assert!(tree.build(&root, &sandbox.canary()).is_err(), "never into an existing folder");
        }
    }
}
