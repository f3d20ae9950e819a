//! Terminal hyperlinks (OSC 8):
//! <https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda>.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use curt::canonical::{Canonicalizer, Missing};

use super::item::Item;
use crate::out::link;
use crate::sys;

pub(super) struct Hyperlinks {
    /// The host name, escaped for a URL.
    host: Vec<u8>,
}

pub(super) struct LinkedDirectory<'a> {
    links: &'a Hyperlinks,
    dir: Option<&'a Path>,
    canonical: PathBuf,
    /// Whether symlinks were followed.
    follows: bool,
}

impl Hyperlinks {
    pub(super) fn new() -> Hyperlinks {
        let mut host = Vec::new();
        link::escape(sys::host_name().as_encoded_bytes(), false, &mut host);
        Hyperlinks { host }
    }

    pub(super) fn link(&self, path: &Path, text: &[u8]) -> Vec<u8> {
        self.link_canonical(&canonical(path), text)
    }

    pub(super) fn directory<'a>(
        &'a self,
        dir: Option<&'a OsStr>,
        follows: bool,
    ) -> LinkedDirectory<'a> {
        let dir = dir.map(Path::new);
        let canonical = dir.map(canonical).unwrap_or_default();
        LinkedDirectory { links: self, dir, canonical, follows }
    }

    fn link_canonical(&self, path: &Path, text: &[u8]) -> Vec<u8> {
        // The absolute path of the directory is unknown.
        if !path.is_absolute() {
            return text.to_vec();
        }
        let mut linked = Vec::new();
        link::begin(&self.host, path, &mut linked);
        linked.push(b'\x07');
        linked.extend_from_slice(text);
        linked.extend_from_slice(b"\x1b]8;;\x07");
        linked
    }
}

impl LinkedDirectory<'_> {
    /// Links `text` to an entry. Makes system calls only for operands and possible symlinks.
    pub(super) fn link(&self, item: &Item, text: &[u8]) -> Vec<u8> {
        let may_be_link = item.kind.is_link() || self.follows;
        let is_plain = !may_be_link && item.name != "." && item.name != "..";
        match self.dir {
            Some(_) if is_plain => {
                self.links.link_canonical(&self.canonical.join(&item.name), text)
            }
            Some(dir) => self.links.link(&dir.join(&item.name), text),
            None => self.links.link(Path::new(&item.name), text),
        }
    }
}

fn canonical(path: &Path) -> PathBuf {
    let names = Canonicalizer::new().missing(Missing::Anything);
    names.find(path).unwrap_or_else(|_| path.to_owned())
}
