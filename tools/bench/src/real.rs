//! Trees that people have: read where they are, copied where a run uses them up.

use crate::folders::rival_folders;
use std::io;
use std::path::{Path, PathBuf};

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Real {
    /// `/usr`.
    Usr,
    /// The sources that Cargo unpacked.
    CargoSources,
    /// What npm installed for `cargo xtask rivals node-modules`.
    NodeModules,
}

impl Real {
    /// Where it is, if it is there.
    pub(crate) fn path(self) -> Option<PathBuf> {
        let candidates = match self {
            Self::Usr => vec![PathBuf::from("/usr")],
            Self::CargoSources => {
                let set = |name| std::env::var_os(name).map(PathBuf::from);
                let home = set("HOME").or_else(|| set("USERPROFILE"));
                let cargo = set("CARGO_HOME").or_else(|| Some(home?.join(".cargo")));
                cargo.map(|cargo| cargo.join("registry").join("src")).into_iter().collect()
            }
            Self::NodeModules => {
                let folders = rival_folders().into_iter();
                folders.map(|folder| folder.join("node-modules").join("node_modules")).collect()
            }
        };
        candidates.into_iter().find(|path| path.is_dir())
    }

    /// How to get it.
    pub(crate) fn get(self) -> &'static str {
        match self {
            Self::Usr => "it is there on Unix",
            Self::CargoSources => "cargo fetch",
            Self::NodeModules => "cargo xtask rivals node-modules",
        }
    }

    /// A new copy of it at `to`.
    pub(crate) fn copy(self, to: &Path) -> io::Result<()> {
        copy(&self.path().ok_or(io::ErrorKind::NotFound)?, to)
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_symlink() {
            link(&std::fs::read_link(&from)?, &to)?;
        } else {
            std::fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// Windows makes links for administrators only.
#[cfg(not(unix))]
fn link(_: &Path, path: &Path) -> io::Result<()> {
    std::fs::write(path, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Truth;

    #[test]
    fn a_copy_has_what_the_tree_has() {
        let scratch = tempfile::tempdir().unwrap();
        let (from, to) = (scratch.path().join("from"), scratch.path().join("to"));
        std::fs::create_dir_all(from.join("a/b")).unwrap();
        std::fs::write(from.join("a/file"), "text").unwrap();
        link(Path::new("a/file"), &from.join("link")).unwrap();
        copy(&from, &to).unwrap();
        let [there, copied] = [from, to].map(|root| Truth::of(&root).unwrap());
        assert_eq!(there.entries(), 4);
        assert_eq!(copied.entries(), 4);
        assert_eq!(std::fs::read(scratch.path().join("to/a/file")).unwrap(), b"text");
    }
}
