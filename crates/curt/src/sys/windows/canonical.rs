//! Canonical names from `GetFinalPathNameByHandle`. A missing file's name is based on its nearest
//! existing directory. Win32 removes `..` before it resolves links.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf, Prefix};

use curt_paths::{Env, Expander, Flavor, Release};

use super::Windows;
use crate::sys::beneath::Beneath;
use crate::sys::canonical::{Links, Missing};
use crate::sys::{Request, Sys, SystemUnit, os_error};

/// Longer paths may need the prefix `\\?\`.
const LONG: usize = 260;

impl Windows {
    pub(super) fn find_name(
        &self,
        path: &Path,
        missing: Missing,
        links: Links,
    ) -> io::Result<PathBuf> {
        if path.as_os_str().is_empty() {
            return Err(os_error(io::ErrorKind::NotFound));
        }
        let full = self.absolute(path, false)?;
        if links != Links::Keep {
            return self.nearest(full, missing).map(simplified);
        }
        if missing == Missing::Nothing {
            let (dir, name) = self.locate(&full)?;
            self.query(&dir, name.as_name(), Request::STAT)?;
        }
        Ok(full)
    }

    fn nearest(&self, mut path: PathBuf, missing: Missing) -> io::Result<PathBuf> {
        let mut rest: Vec<OsString> = Vec::new();
        let mut links = 0;
        loop {
            let error = match self.syscalls.canonical(&path) {
                Ok(found) => {
                    return Ok(rest.iter().rev().fold(found, |path, name| path.join(name)));
                }
                Err(error) => error,
            };
            if let Some(target) = self.target_of(&path).filter(|_| links < Self::MAX_LINKS) {
                links += 1;
                let parent = path.parent().unwrap_or(Path::new(""));
                path = self.absolute(&parent.join(target), false)?;
                continue;
            }
            let may_be_missing = match missing {
                Missing::Nothing => false,
                Missing::LastName => error.kind() == io::ErrorKind::NotFound && rest.is_empty(),
                Missing::Anything => true,
            };
            match (path.file_name(), path.parent()) {
                (Some(name), Some(parent)) if may_be_missing => {
                    rest.push(name.to_owned());
                    path = parent.to_owned();
                }
                _ => return Err(error),
            }
        }
    }

    fn target_of(&self, path: &Path) -> Option<PathBuf> {
        let mut target = Vec::new();
        let (dir, name) = self.locate(path).ok()?;
        self.read_link(&dir, name.as_name(), &mut target).ok()?;
        Some(u16::path(target))
    }
}

/// Removes the prefix `\\?\` if the path then means the same to every program.
fn simplified(path: PathBuf) -> PathBuf {
    let Some(Component::Prefix(prefix)) = path.components().next() else { return path };
    let units = u16::units(&path);
    let plain = match prefix.kind() {
        Prefix::VerbatimDisk(_) => units[r"\\?\".len()..].to_vec(),
        Prefix::VerbatimUNC(..) => {
            let backslash = u16::from(b'\\');
            [&[backslash, backslash], &units[r"\\?\UNC\".len()..]].concat()
        }
        _ => return path,
    };
    // Without the prefix, trailing dots and spaces and device names have other meanings.
    let expander = Expander::new(Env::none()).flavor(Flavor::Windows).release(Release::Windows10);
    let is_same = expander.expand(&plain).is_ok_and(|expanded| *expanded == *plain);
    if is_same && plain.len() < LONG { u16::path(plain) } else { path }
}
