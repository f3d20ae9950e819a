//! Opens each file many times, and prints the number of entries.

use std::io;
use std::path::{Path, PathBuf};

/// As in `curt-bench`.
const ROUNDS: usize = 20;

pub fn tree() -> PathBuf {
    std::env::args_os().nth(1).expect("a tree").into()
}

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

pub fn run(tree: &Path, mut open: impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    let (below, names) = files(tree)?;
    let paths: Vec<PathBuf> = names.iter().map(|name| below.join(name)).collect();
    for path in std::iter::repeat(&paths).take(ROUNDS).flatten() {
        open(path)?;
    }
    println!("{}", names.len() + below.components().count());
    Ok(())
}
