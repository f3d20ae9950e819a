//! `--tree`: one walk per operand, printed with branches.
//!
//! A directory is read completely before its entries are shown, because the last entry has a
//! different branch, a corner. Rows with only names are printed early; the long format needs the
//! widths of all rows.

use std::ffi::OsStr;
use std::path::Path;
use std::rc::Rc;

use curt::list::Directory;
use curt::{Error, Kind};

use super::item::{Item, Row};
use super::lister::{Lister, header_path};
use crate::out::text::branch;
use crate::sys;

/// A directory with entries still to be shown.
struct Level {
    items: std::vec::IntoIter<Item>,
    dir: Rc<OsStr>,
    branch: String,
    depth: usize,
}

struct Tree {
    rows: Vec<Row>,
    /// Whether all rows have the same column widths, so that printing waits for the last row.
    is_aligned: bool,
    /// A directory that the walk has already opened, kept until the printing reaches its entry.
    opened: Option<Result<Directory, Error>>,
}

impl Lister<'_> {
    pub(super) fn list_as_tree(&mut self, mut root: Item) {
        let settings = self.settings;
        let is_directory = std::mem::take(&mut root.is_opened);
        let operand = root.name.clone();
        if is_directory {
            self.complete(&mut root, None, Path::new(&operand));
        }
        let is_aligned = settings.is_long() || settings.shows_inode || settings.shows_blocks;
        let is_unicode = sys::has_utf8_locale();
        let mut tree =
            Tree { rows: Vec::new(), is_aligned: is_aligned && !settings.is_json(), opened: None };
        if !is_directory {
            self.totals.count(&root);
        }
        tree.rows.push(Row { item: root, dir: None, branch: String::new(), depth: 0 });
        let mut levels = Vec::new();
        if is_directory && settings.depth() > 0 {
            let opened = self.walk.open(&operand);
            levels.extend(self.open_level(opened, Rc::from(operand.as_os_str()), String::new(), 1));
        }
        while let Some(level) = levels.last_mut() {
            if self.session.is_cancelled() {
                break;
            }
            let Some(item) = level.items.next() else {
                levels.pop();
                continue;
            };
            let is_last = level.items.as_slice().is_empty();
            let (branch, below) = branch(is_unicode, is_last);
            let is_entered = item.kind == Kind::Directory && level.depth < settings.depth();
            let path = is_entered.then(|| header_path(&level.dir, &item.name).into_os_string());
            let below = level.branch.clone() + below;
            let depth = level.depth;
            self.totals.count(&item);
            tree.rows.push(Row {
                item,
                dir: Some(Rc::clone(&level.dir)),
                branch: level.branch.clone() + branch,
                depth,
            });
            if let Some(path) = path {
                if let Some(opened) = self.next_opened(&mut tree, Path::new(&path)) {
                    levels.extend(self.open_level(opened, Rc::from(path), below, depth + 1));
                }
                if !tree.is_aligned {
                    self.print(&mut tree);
                }
            }
        }
        self.print(&mut tree);
    }

    /// Returns the walk's next directory if it has this path. Otherwise the walk could not reach
    /// the path, whose subtree is omitted.
    fn next_opened(&mut self, tree: &mut Tree, path: &Path) -> Option<Result<Directory, Error>> {
        let opened = tree.opened.take().or_else(|| self.walk.next())?;
        if opened.as_ref().map_or_else(Error::path, Directory::path) == path {
            return Some(opened);
        }
        tree.opened = Some(opened);
        None
    }

    fn open_level(
        &mut self,
        opened: Result<Directory, Error>,
        dir: Rc<OsStr>,
        branch: String,
        depth: usize,
    ) -> Option<Level> {
        let (list, items) = self.read_directory(&dir, opened, depth == 1)?;
        let items = self.sort(items);
        let is_end = depth >= self.settings.depth();
        let entered: Vec<&Item> = items.iter().filter(|_| !is_end).collect();
        self.descend(list, &entered, &dir);
        Some(Level { items: items.into_iter(), dir, branch, depth })
    }

    fn print(&mut self, tree: &mut Tree) {
        self.writer.rows(&tree.rows);
        tree.rows.clear();
    }
}
