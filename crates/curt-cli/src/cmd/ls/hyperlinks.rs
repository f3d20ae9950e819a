//! Links from names to their files, which many terminals show:
//! <https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda>.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use curt::canonical::{Canonicalizer, Missing};

use super::item::Item;
use crate::out::link::escape;
use crate::sys;

/// Makes links to files of this machine.
pub(super) struct Hyperlinks {
    /// The name of this machine, as it is in a URL.
    host: Vec<u8>,
}

/// A directory whose entries are linked.
pub(super) struct LinkedDirectory<'a> {
    links: &'a Hyperlinks,
    /// `None` for operands.
    dir: Option<&'a Path>,
    canonical: PathBuf,
    /// An entry may be a link that was followed.
    follows: bool,
}

impl Hyperlinks {
    pub(super) fn new() -> Hyperlinks {
        let mut host = Vec::new();
        escape(sys::host_name().as_encoded_bytes(), false, &mut host);
        Hyperlinks { host }
    }

    /// Returns the text with a link to this path.
    pub(super) fn link(&self, path: &Path, text: &[u8]) -> Vec<u8> {
        self.link_canonical(&canonical(path), text)
    }

    /// Prepares links to entries of a directory, or to operands.
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
        let mut linked = b"\x1b]8;;file://".to_vec();
        let path = path.as_os_str().as_encoded_bytes();
        // The beginning of canonical paths on Windows.
        let path = path.strip_prefix(br"\\?\").unwrap_or(path);
        if let Some(remote) = path.strip_prefix(br"UNC\") {
            // The name of another machine comes first.
            escape(remote, true, &mut linked);
        } else {
            linked.extend_from_slice(&self.host);
            if !path.starts_with(b"/") {
                linked.push(b'/');
            }
            escape(path, true, &mut linked);
        }
        linked.push(b'\x07');
        linked.extend_from_slice(text);
        linked.extend_from_slice(b"\x1b]8;;\x07");
        linked
    }
}

impl LinkedDirectory<'_> {
    /// Returns the text with a link to an entry. Only operands and what may be a link need calls.
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

/// Returns the full path without links; what is missing is allowed.
fn canonical(path: &Path) -> PathBuf {
    let names = Canonicalizer::new().missing(Missing::Anything);
    names.find(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Hyperlinks;
    use std::path::Path;

    #[test]
    fn urls_have_the_machine_and_the_escaped_path() {
        let links = Hyperlinks { host: b"here".to_vec() };
        let is_windows = std::path::is_separator('\\');
        for (path, url) in [
            ("/a b/%", "here/a%20b/%25"),
            ("/\u{e9}~-._", "here/%c3%a9~-._"),
            (r"\\?\C:\x", if is_windows { "here/C:/x" } else { "here/C%3a%5cx" }),
            (r"\\?\UNC\there\x", if is_windows { "there/x" } else { "there%5cx" }),
        ] {
            let linked = links.link_canonical(Path::new(path), b"name");
            let expected = format!("\x1b]8;;file://{url}\x07name\x1b]8;;\x07");
            assert_eq!(String::from_utf8(linked).unwrap(), expected, "{path}");
        }
    }
}
