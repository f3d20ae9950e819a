use std::io;
use std::path::{Path, PathBuf};

pub(crate) const ROUNDS: usize = 20;

pub(super) fn open(way: &str, tree: &Path, out: &mut dyn io::Write) -> io::Result<()> {
    let (below, names) = files(tree)?;
    let base = if way == "resolve" { tree } else { Path::new("") };
    let paths: Vec<PathBuf> = names.iter().map(|name| base.join(&below).join(name)).collect();
    let paths = std::iter::repeat_n(&paths, ROUNDS).flatten();
    match way {
        "curt" => open_by_curt(tree, paths)?,
        "resolve" => resolve_and_open(tree, paths)?,
        "openat2" => openat2(tree, paths)?,
        _ => return Err(io::ErrorKind::Unsupported.into()),
    }
    writeln!(out, "{}", names.len() + below.components().count())
}

fn files(tree: &Path) -> io::Result<(PathBuf, Vec<String>)> {
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

fn open_by_curt<'a>(tree: &Path, mut paths: impl Iterator<Item = &'a PathBuf>) -> io::Result<()> {
    let root = curt::Root::open(tree)?;
    let mut options = curt::beneath::OpenOptions::new();
    options.read(true);
    Ok(paths.try_for_each(|path| root.open_file(path, &options).map(drop))?)
}

/// The usual method without a library. If a symlink changes between the calls, the path escapes.
fn resolve_and_open<'a>(
    tree: &Path,
    mut paths: impl Iterator<Item = &'a PathBuf>,
) -> io::Result<()> {
    let root = tree.canonicalize()?;
    paths.try_for_each(|path| {
        let path = path.canonicalize()?;
        if !path.starts_with(&root) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        std::fs::File::open(path).map(drop)
    })
}

#[cfg(target_os = "linux")]
fn openat2<'a>(tree: &Path, mut paths: impl Iterator<Item = &'a PathBuf>) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
    let root = open(tree, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    Ok(paths.try_for_each(|path| openat2(&root, path, flags, Mode::empty(), resolve).map(drop))?)
}

#[cfg(not(target_os = "linux"))]
fn openat2<'a>(_: &Path, _: impl Iterator<Item = &'a PathBuf>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::HAS_BASELINE;
    use crate::sandbox::Sandbox;
    use crate::tree::Tree;

    #[test]
    fn everybody_counts_the_same() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        let tree = Tree::deep(50);
        let path = sandbox.entry("tree");
        tree.build(&path, &sandbox.canary()).unwrap();
        for way in ["curt", "resolve", "openat2"] {
            if way == "openat2" && !HAS_BASELINE {
                continue;
            }
            let mut out = Vec::new();
            open(way, &path, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), format!("{}\n", tree.entries()));
        }
    }
}
