//! A tree of the largest entries.
//!
//! Only as many records are kept as can be shown. A directory is at least as large as any entry in
//! it, so the parents of the largest entries are among the largest, too. A directory whose only
//! entry is a directory shares a row with that entry, so [`RECORDS`] records are kept per row.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use curt::Kind;
use curt::usage::UsageRecord;

use super::chart::{Row, Style};
use crate::out::text::branch;
use crate::quote::{Quoting, Style as QuotingStyle};
use crate::sys;

/// The number of entries in a directory, and the sum of their sizes.
type Sum = (u64, u64);

/// Sums up the contents of directories. A directory's record comes after those of its contents, so
/// one sum per depth is enough.
#[derive(Default)]
pub(super) struct Contents(Vec<Sum>);

impl Contents {
    /// Adds an entry to the sum of its parent. Returns the sum of the entry's own contents.
    pub(super) fn of(&mut self, depth: usize, number: u64) -> Sum {
        self.0.resize(self.0.len().max(depth + 2), (0, 0));
        let (entries, sum) = self.0[depth];
        self.0[depth] = (entries + 1, sum.saturating_add(number));
        std::mem::take(&mut self.0[depth + 1])
    }
}

/// A record, its contents, and the indices of its children, largest first.
struct Node {
    number: u64,
    record: UsageRecord,
    contents: Sum,
    parent: Option<usize>,
    children: Vec<usize>,
}

impl Node {
    /// Returns whether `other` is a directory and the only entry of this directory, so that both
    /// can share a row. An operand always gets its own row.
    fn holds_only(&self, other: &Node) -> bool {
        self.record.depth > 0
            && other.record.kind == Kind::Directory
            && self.record.sizes.entries == other.record.sizes.entries + 1
    }
}

pub(super) const RECORDS: usize = 8;

enum Next {
    Node(usize),
    /// The entries of a directory that get no row: how many there are, and their total (bytes, or
    /// entries if these are counted).
    More(u64, u64),
}

pub(super) struct Tree {
    /// Largest first, then by path. A directory precedes its contents.
    nodes: Vec<Node>,
}

impl Tree {
    /// Builds the tree. `largest` must contain the parents of all its records.
    pub(super) fn new(largest: Vec<(u64, (UsageRecord, Sum))>) -> Tree {
        let node = |(number, (record, contents))| Node {
            number,
            record,
            contents,
            parent: None,
            children: Vec::new(),
        };
        let mut nodes: Vec<Node> = largest.into_iter().map(node).collect();
        nodes.sort_by(|one, other| {
            let by_path = || one.record.path.cmp(&other.record.path);
            other.number.cmp(&one.number).then_with(by_path)
        });
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
        for (index, parent) in parents.into_iter().enumerate() {
            nodes[index].parent = parent;
            if let Some(parent) = parent {
                nodes[parent].children.push(index);
            }
        }
        Tree { nodes }
    }

    /// Returns the rows of the largest entries, in printing order, and one row for the remaining
    /// entries of each directory.
    pub(super) fn rows(&self, entries: usize, style: &Style) -> Vec<Row> {
        let Tree { nodes } = self;
        let mut count = 0;
        let is_cut = |node: &Node| {
            count += usize::from(node.parent.is_none_or(|parent| !nodes[parent].holds_only(node)));
            count > entries
        };
        let end = nodes.iter().position(is_cut).unwrap_or(nodes.len());
        let quoting = quoting(QuotingStyle::ShellEscape, style);
        let mut rows = Vec::new();
        // A stack of nodes to print, each with the branches to draw before it and before its
        // children.
        let roots = (0..end).rev().filter(|&index| nodes[index].parent.is_none());
        let mut stack: Vec<_> =
            roots.map(|root| (Next::Node(root), String::new(), String::new())).collect();
        while let Some((next, lead, below)) = stack.pop() {
            let index = match next {
                Next::Node(index) => index,
                Next::More(more, number) => {
                    let name = format!("{} {more} more", style.ellipsis());
                    rows.push(Row { lead, name, is_directory: false, number });
                    continue;
                }
            };
            let first = &nodes[index];
            let mut last = first;
            let shown = |node: &'_ Node| node.children.partition_point(|&child| child < end);
            while let [only] = last.children[..shown(last)] {
                if !last.holds_only(&nodes[only]) {
                    break;
                }
                last = &nodes[only];
            }
            let Node { record, children, contents, .. } = last;
            let above = first.record.path.parent().filter(|_| record.depth > 0);
            let name = above.and_then(|above| record.path.strip_prefix(above).ok());
            let name = name.unwrap_or(&record.path).as_os_str();
            let (name, is_directory) = (self::shown(name, quoting), record.kind == Kind::Directory);
            rows.push(Row { lead, name, is_directory, number: first.number });
            let count = shown(last);
            // A single hidden entry takes no more space than a row that counts it.
            let is_next_last = count > 0 && contents.0 == count as u64 + 1;
            let children = &children[..children.len().min(count + usize::from(is_next_last))];
            let more = contents.0.saturating_sub(children.len() as u64);
            // Subtracting each size saturates; their sum could overflow.
            let subtract = |left: u64, &child: &usize| left.saturating_sub(nodes[child].number);
            let number = children.iter().fold(contents.1, subtract);
            let more = (more > 0 && !children.is_empty()).then_some(Next::More(more, number));
            let all = children.iter().map(|&child| Next::Node(child)).chain(more);
            for (at, child) in all.rev().enumerate() {
                let (branch, under) = branch(style.is_unicode, at == 0);
                stack.push((child, format!("{below}{branch}"), format!("{below}{under}")));
            }
        }
        rows
    }
}

/// Returns a quoting that sends no control characters to the terminal.
pub(super) fn quoting(of_names: QuotingStyle, style: &Style) -> Quoting {
    let is_ascii = !style.is_unicode && sys::has_c_locale("LC_CTYPE");
    Quoting { style: of_names, is_masked: true, is_ascii, has_utf8_quotes: false }
}

pub(super) fn shown(name: &OsStr, quoting: Quoting) -> String {
    String::from_utf8_lossy(&quoting.apply(name, "").0).into_owned()
}
