//! A tree of the largest entries.
//!
//! Only as many records are kept as can be shown. A directory is at least as large as any entry in
//! it, so the parents of the largest entries are among the largest too. A directory whose only
//! entry is a directory shares a row with it, so [`RECORDS`] are kept per row.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use curt::Kind;
use curt::usage::UsageRecord;

use super::chart::{Row, Style};
use crate::out::text::branch;
use crate::quote::{Quoting, Style as QuotingStyle};
use crate::sys;

/// A record and the indices of its children, largest first.
struct Node {
    number: u64,
    record: UsageRecord,
    children: Vec<usize>,
}

impl Node {
    /// Whether this directory contains only the other one. An operand always gets its own row.
    fn holds_only(&self, other: &Node) -> bool {
        self.record.depth > 0
            && other.record.kind == Kind::Directory
            && self.record.sizes.entries == other.record.sizes.entries + 1
    }
}

/// Records kept per row.
pub(super) const RECORDS: usize = 8;

/// Returns at most `most` rows of a tree. `largest` contains the parents of all its records.
pub(super) fn rows(mut largest: Vec<(u64, UsageRecord)>, most: usize, style: &Style) -> Vec<Row> {
    // Largest first, then by name. A directory precedes its contents.
    largest.sort_by(|(one, of_one), (other, of_other)| {
        other.cmp(one).then_with(|| of_one.path.cmp(&of_other.path))
    });
    let node = |(number, record)| Node { number, record, children: Vec::new() };
    let mut nodes: Vec<Node> = largest.into_iter().map(node).collect();
    let at: HashMap<(usize, &Path), usize> = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.record.kind == Kind::Directory || node.record.depth == 0)
        .map(|(at, node)| ((node.record.operand, node.record.path.as_path()), at))
        .collect();
    let parent = |node: &Node| {
        let path = node.record.path.parent().filter(|_| node.record.depth > 0)?;
        at.get(&(node.record.operand, path)).copied()
    };
    let parents: Vec<Option<usize>> = nodes.iter().map(parent).collect();
    let (mut roots, mut rows) = (Vec::new(), 0);
    for (index, parent) in parents.into_iter().enumerate() {
        let is_row = parent.is_none_or(|parent| !nodes[parent].holds_only(&nodes[index]));
        rows += usize::from(is_row);
        if rows > most {
            break;
        }
        match parent {
            Some(parent) => nodes[parent].children.push(index),
            None => roots.push(index),
        }
    }
    lead_rows(&nodes, &roots, style)
}

/// Returns the rows in printing order. Directories that contain only one another share a row.
fn lead_rows(nodes: &[Node], roots: &[usize], style: &Style) -> Vec<Row> {
    let quoting = quoting(QuotingStyle::ShellEscape, style);
    let mut rows = Vec::with_capacity(nodes.len());
    // A stack of nodes to print, with the branches before each and before its children.
    let mut waiting: Vec<(usize, String, String)> =
        roots.iter().rev().map(|&root| (root, String::new(), String::new())).collect();
    while let Some((index, lead, below)) = waiting.pop() {
        let Some(first) = nodes.get(index) else { continue };
        let mut last = first;
        while let [only] = last.children[..] {
            if !last.holds_only(&nodes[only]) {
                break;
            }
            last = &nodes[only];
        }
        let Node { record, children, .. } = last;
        let above = first.record.path.parent().filter(|_| record.depth > 0);
        let name = above.and_then(|above| record.path.strip_prefix(above).ok());
        let name = name.unwrap_or(&record.path).as_os_str();
        let (name, is_directory) = (shown(name, quoting), record.kind == Kind::Directory);
        rows.push(Row { lead, name, is_directory, number: first.number });
        for (at, &child) in children.iter().enumerate().rev() {
            let (branch, under) = branch(style.is_unicode, at + 1 == children.len());
            waiting.push((child, format!("{below}{branch}"), format!("{below}{under}")));
        }
    }
    rows
}

/// Quotes names so that the terminal receives no control characters.
pub(super) fn quoting(of_names: QuotingStyle, style: &Style) -> Quoting {
    let is_ascii = !style.is_unicode && sys::has_c_locale("LC_CTYPE");
    Quoting { style: of_names, is_masked: true, is_ascii, has_utf8_quotes: false }
}

/// Returns a name as `ls` shows it on a terminal.
pub(super) fn shown(name: &OsStr, quoting: Quoting) -> String {
    String::from_utf8_lossy(&quoting.apply(name, "").0).into_owned()
}
