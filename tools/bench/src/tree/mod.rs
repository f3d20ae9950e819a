//! The sample trees: their shapes, exact to the entry, and how they are written to disk.
//!
//! A shape is computed, not copied: the same on every machine, without a download. Every name and
//! size follows from the position in the tree, so a shape of 50,000 files is a few numbers.

mod react;

use crate::stats::Random;
use std::io;
use std::path::{Path, PathBuf};

/// What is in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing.
    Empty,
    /// The same number of bytes in each.
    Each(u64),
    /// This many bytes in all, unevenly spread as in real packages.
    Total(u64),
    /// That many bytes, another number for each of its neighbours, in every sixteenth file, and
    /// nothing in the others: quickly made, and sizes that can be told apart.
    Some,
}

/// A directory of a shape.
#[derive(Debug)]
pub(super) struct Directory {
    /// Relative to the root, which has the empty path.
    pub(super) path: PathBuf,
    /// How many files lie directly in it.
    pub(super) files: u32,
}

/// The shape of a tree. Directories come before what is in them.
#[derive(Debug)]
pub(crate) struct Tree {
    directories: Vec<Directory>,
    content: Content,
    weights: u64,
    links: Links,
    /// What files are called.
    names: fn(u32) -> String,
    /// The directory that holds programs besides, how many, and what they have behind their names;
    /// they are not counted.
    programs: Option<(usize, u32, &'static str)>,
}

/// How many of the root's first files are symbolic links instead, where the system lets us make
/// them.
#[derive(Clone, Copy, Debug)]
struct Links {
    /// All of them; the first leads out of the tree.
    all: u32,
    /// How many of them, the last ones, are broken.
    dangling: u32,
}

/// The bytes of a create-react-app tree (344 MiB).
pub(crate) const REACT_BYTES: u64 = 344 << 20;
/// The entries of that tree, its root left out.
pub(crate) const REACT_ENTRIES: u32 = 41_208;
const REACT_FILES: u32 = 36_346;
const REACT_DIRECTORIES: usize = 4_863;

impl Tree {
    fn new(mut directories: Vec<Directory>, content: Content) -> Self {
        // Depth first, as an unpacker writes: what is removed together lies together on disk.
        directories.sort_by(|a, b| a.path.cmp(&b.path));
        let links = Links { all: 1, dangling: 0 };
        let (names, programs) = (file_name as fn(u32) -> String, None);
        let mut tree = Self { directories, content, weights: 0, links, names, programs };
        tree.weights = (0..tree.files()).map(weight).sum();
        tree
    }

    /// What `npx create-react-app` made in report 2: 36,346 files in 4,863 directories, the root
    /// included, at most 10 levels of them; with fewer `entries` a tree of the same kind.
    pub(crate) fn react(entries: u32, content: Content) -> Self {
        let part = f64::from(entries) / f64::from(REACT_ENTRIES);
        let directories = ((REACT_DIRECTORIES as f64 * part) as usize).max(60);
        let files = ((f64::from(REACT_FILES) * part) as u32).max(400);
        let directories = react::directories(directories, files).into_iter();
        Self::new(directories.map(|(path, files)| Directory { path, files }).collect(), content)
    }

    /// Many directories side by side, with two to four files in each.
    pub(crate) fn small_directories(count: u32, content: Content) -> Self {
        let mut directories = vec![Directory { path: PathBuf::new(), files: 1 }];
        directories.extend((0..count).map(|index| Directory {
            path: PathBuf::from(format!("package-{index:05}")),
            files: 2 + index % 3,
        }));
        Self::new(directories, content)
    }

    /// The same with this many programs in the directory at this place among them all.
    pub(crate) fn with_programs(self, place: usize, count: u32, end: &'static str) -> Self {
        // The root comes before them.
        Self { programs: Some((place + 1, count, end)), ..self }
    }

    /// A directory full of random names, or of names that begin like a program's, before one that
    /// can hold the program.
    pub(crate) fn crowd(files: u32, alike: bool) -> Self {
        let names = if alike {
            |index| format!("{PROGRAM}{index:07}")
        } else {
            |index: u32| format!("{:016x}", Random::new(index.into()).next())
        };
        let mut tree = Self::small_directories(2, Content::Empty);
        tree.directories[1].files = files;
        Self { names, ..tree }
    }

    /// Chains of 40 directories in one another, with three files in each.
    pub(crate) fn chains(entries: u32) -> Self {
        const LEVELS: u32 = 40;
        let mut directories = vec![Directory { path: PathBuf::new(), files: 1 }];
        for chain in 0..entries / (4 * LEVELS) {
            let mut path = PathBuf::from(format!("chain-{chain:05}"));
            for _ in 0..LEVELS {
                directories.push(Directory { path: path.clone(), files: 3 });
                path.push("down");
            }
        }
        Self::new(directories, Content::Empty)
    }

    /// One directory with many files.
    pub(crate) fn flat(files: u32, content: Content) -> Self {
        Self::new(vec![Directory { path: PathBuf::new(), files }], content)
    }

    /// Directories in one another, six below the root, and all files in the last.
    pub(crate) fn deep(files: u32) -> Self {
        let names = ["a", "b", "c", "d", "e", "f"];
        let directories = (0..=6).map(|depth| Directory {
            path: names.iter().take(depth).collect(),
            files: if depth == 6 { files } else { 0 },
        });
        let tree = Self::new(directories.collect(), Content::Empty);
        // One that leads out would have to be refused.
        Self { links: Links { all: 0, dangling: 0 }, ..tree }
    }

    /// One directory as people have them, with `files` files, `links` symbolic links, one in five
    /// of them leading nowhere, and `below` empty directories.
    pub(crate) fn mixed(files: u32, links: u32, below: u32) -> Self {
        let mut directories = vec![Directory { path: PathBuf::new(), files: files + links }];
        directories.extend(
            (0..below).map(|index| Directory { path: format!("folder-{index}").into(), files: 0 }),
        );
        let tree = Self::new(directories, Content::Some);
        Self { links: Links { all: links, dangling: links / 5 }, ..tree }
    }

    /// Ten files in three directories: what counts is how fast the program starts and ends.
    pub(crate) fn ten() -> Self {
        let directory = |path: &str, files| Directory { path: path.into(), files };
        let directories = vec![directory("", 4), directory("a", 3), directory("b", 3)];
        Self::new(directories, Content::Empty)
    }

    /// A directory with nothing in it.
    pub(crate) fn empty() -> Self {
        Self::flat(0, Content::Empty)
    }

    /// The number of entries that are not directories.
    pub(crate) fn files(&self) -> u64 {
        self.directories.iter().map(|directory| u64::from(directory.files)).sum()
    }

    /// The number of directories, the root included.
    pub(crate) fn directories(&self) -> u64 {
        self.directories.len() as u64
    }

    /// The bytes in all files together.
    pub(crate) fn bytes(&self) -> u64 {
        match self.content {
            Content::Empty => 0,
            Content::Each(bytes) => bytes * self.files(),
            Content::Total(bytes) => bytes,
            Content::Some => (0..self.files()).map(|file| self.size(file)).sum(),
        }
    }

    /// All entries, the root left out.
    pub(crate) fn entries(&self) -> u64 {
        self.files() + self.directories() - 1
    }

    /// A generous guess at the room it takes on a file system with blocks of 4 KiB.
    pub(crate) fn room(&self) -> u64 {
        self.bytes() + (self.files() + 2 * self.directories()) * 5_000
    }

    fn size(&self, file: u64) -> u64 {
        match self.content {
            Content::Some if file % 16 == 5 => 1 + file / 16 % 999,
            Content::Empty | Content::Some => 0,
            Content::Each(bytes) => bytes,
            Content::Total(bytes) => {
                let share = |file| bytes / self.weights * weight(file);
                if file == 0 {
                    // Takes what the division left over, so that the sum is exact.
                    return bytes - (1..self.files()).map(share).sum::<u64>();
                }
                share(file)
            }
        }
    }

    /// Writes the tree to `root`, which must not exist. The first entry of the root becomes a
    /// symbolic link to `link`, where the system lets us make one.
    pub(crate) fn build(&self, root: &Path, link: &Path) -> io::Result<()> {
        let mut written = 0;
        for directory in &self.directories {
            let path = root.join(&directory.path);
            std::fs::create_dir(&path)?;
            let mut first = 0;
            if written == 0 {
                let links = self.links.all.min(directory.files);
                first =
                    (0..links).take_while(|&index| self.link(&path, index, link)).count() as u32;
            }
            let files = (first..directory.files)
                .map(|index| ((self.names)(index), self.size(written + u64::from(index))));
            fill(&path, files)?;
            written += u64::from(directory.files);
        }
        let (place, count, end) = self.programs.unwrap_or_default();
        let folder = self.directories.get(place).map(|directory| root.join(&directory.path));
        folder.map_or(Ok(()), |folder| {
            (0..count).try_for_each(|index| {
                put_program(&folder.join(format!("{}{end}", program_name(index))))
            })
        })
    }

    /// Makes the link with this number in `folder`; whether that was possible.
    fn link(&self, folder: &Path, index: u32, out: &Path) -> bool {
        let Links { all, dangling } = self.links;
        if index == 0 {
            return make_link(out, &folder.join("link")).is_ok();
        }
        let (name, target) = if index >= all - dangling {
            (format!("dangling-{index}"), format!("gone-{index}"))
        } else {
            (format!("link-{index}"), file_name(all + index))
        };
        make_link(Path::new(&target), &folder.join(name)).is_ok()
    }
}

/// How much of the bytes the file gets: most files of a package are small and few are large.
fn weight(file: u64) -> u64 {
    const WEIGHTS: [u64; 16] = [1, 1, 2, 2, 2, 3, 3, 4, 4, 6, 8, 12, 20, 40, 90, 250];
    WEIGHTS[Random::new(file).below(WEIGHTS.len())]
}

/// The entry of `PATH` that holds what is found, counted from 0.
pub(crate) const PLACE: usize = 196;
/// The number of entries of `PATH`.
pub(crate) const ENTRIES: u32 = 211;

/// The directories in the folder, in the order of their names: the entries of `PATH`.
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

/// What a program that is looked up is called.
const PROGRAM: &str = "hello";

/// A link to a program of the system: the tree may be where nothing may be executed.
#[cfg(unix)]
fn put_program(path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink("/bin/sh", path)
}

/// Nothing is executed, so an empty file is as good.
#[cfg(not(unix))]
fn put_program(path: &Path) -> io::Result<()> {
    std::fs::write(path, [])
}

/// The name of the program with this number.
pub(crate) fn program_name(index: u32) -> String {
    if index == 0 { PROGRAM.to_owned() } else { format!("{PROGRAM}-{index}") }
}

/// Names as long as in real packages: their length decides how many fit in a listing page.
fn file_name(index: u32) -> String {
    const STEMS: [&str; 8] =
        ["index", "utils", "parse-options", "createElement", "types", "a11y", "isPlain", "README"];
    const ENDINGS: [&str; 6] = ["js", "d.ts", "js.map", "json", "mjs", "md"];
    let stem = STEMS[index as usize % STEMS.len()];
    let ending = ENDINGS[index as usize / STEMS.len() % ENDINGS.len()];
    format!("{stem}{index}.{ending}")
}

/// Bytes to write, a piece at a time.
static CONTENT: [u8; 65_536] = [b'c'; 65_536];

fn write_content(file: &mut dyn io::Write, mut bytes: u64) -> io::Result<()> {
    while bytes > 0 {
        let piece = bytes.min(CONTENT.len() as u64);
        file.write_all(&CONTENT[..piece as usize])?;
        bytes -= piece;
    }
    Ok(())
}

/// Linux makes an empty file with one call; building trees is most of a quick run's time.
#[cfg(target_os = "linux")]
fn fill(path: &Path, files: impl Iterator<Item = (String, u64)>) -> io::Result<()> {
    use rustix::fs::{CWD, FallocateFlags, FileType, Mode, OFlags, mknodat, openat};
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o644);
    let directory = openat(CWD, path, flags, Mode::empty())?;
    for (name, bytes) in files {
        if bytes == 0 {
            mknodat(&directory, &name, FileType::RegularFile, mode, 0)?;
            continue;
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = openat(&directory, &name, flags, mode)?;
        // Files that are worth removing own blocks. Without this they would get them only when the
        // system writes them back, and removing a tree just made would be unlike removing an old
        // one. Where it is not supported, nothing is lost.
        let _ = rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, bytes);
        write_content(&mut std::fs::File::from(file), bytes)?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn fill(path: &Path, files: impl Iterator<Item = (String, u64)>) -> io::Result<()> {
    for (name, bytes) in files {
        write_content(&mut std::fs::File::create_new(path.join(name))?, bytes)?;
    }
    Ok(())
}

#[cfg(unix)]
fn make_link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(windows)]
fn make_link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, link)?;
    // Wine says that it made one.
    std::fs::symlink_metadata(link).map(drop)
}

#[cfg(test)]
mod tests;
