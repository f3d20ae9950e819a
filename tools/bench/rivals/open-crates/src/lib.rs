//! What all of them do: find the files, open each that many times, and write how many entries there
//! are.

use std::io;
use std::path::{Path, PathBuf};

/// How often everything is opened, as `curt-bench` does it.
const ROUNDS: usize = 20;

/// The tree that the command line names.
pub fn tree() -> PathBuf {
    std::env::args_os().nth(1).expect("a tree").into()
}

/// Where the files are, and their names: each directory above holds one entry.
pub fn files(tree: &Path) -> io::Result<(PathBuf, Vec<String>)> {
    let mut below = PathBuf::new();
    loop {
        let mut names = Vec::new();
        let mut holds_files = false;
        for entry in std::fs::read_dir(tree.join(&below))? {
            let entry = entry?;
            holds_files |= entry.file_type()?.is_file();
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        match names.as_slice() {
            [only] if !holds_files => below.push(only),
            _ => return Ok((below, names)),
        }
    }
}

/// Opens every file, and writes how many entries there are.
pub fn run(tree: &Path, mut open: impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    let (below, names) = files(tree)?;
    let paths: Vec<PathBuf> = names.iter().map(|name| below.join(name)).collect();
    for path in std::iter::repeat(&paths).take(ROUNDS).flatten() {
        open(path)?;
    }
    println!("{}", names.len() + below.components().count());
    Ok(())
}
