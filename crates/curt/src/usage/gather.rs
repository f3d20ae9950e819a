//! What the threads found, put together: sums, links, order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Identity;
use super::order;
use super::report::{Sizes, UsageRecord};
use super::tally::{Charge, Part, Tag};
use crate::error::Error;

/// What was found in one operand.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) records: Vec<UsageRecord>,
    pub(super) errors: Vec<Error>,
    pub(super) error_count: u64,
    pub(super) unknown: u64,
    /// The files with several names that were counted.
    pub(super) linked: Vec<Identity>,
}

/// Puts the parts together.
pub(super) fn gather(mut parts: Vec<Part>) -> Gathered {
    parts.sort_by_key(|part| part.thread);
    let mut gathered = Gathered::default();
    let mut begins = Vec::new();
    for part in &mut parts {
        begins.push(gathered.records.len());
        gathered.records.append(&mut part.places);
    }
    let at = |tag: Tag| begins.get(tag.thread() as usize).map_or(0, |begin| begin + tag.place());
    let mut links: HashMap<Identity, Charge> = HashMap::new();
    let mut files = Vec::new();
    for part in parts {
        for (tag, sizes) in part.others {
            add(&mut gathered.records, at(tag), sizes);
        }
        for (found, charge) in part.links {
            match links.entry(found) {
                Entry::Vacant(vacant) => {
                    vacant.insert(charge);
                }
                Entry::Occupied(mut known) => {
                    if charge.is_before(known.get()) {
                        known.insert(charge);
                    }
                }
            }
        }
        files.extend(part.files);
        gathered.errors.extend(part.errors);
        gathered.error_count += part.error_count;
        gathered.unknown += part.unknown;
    }
    for (found, charge) in links {
        gathered.linked.push(found);
        match charge.file {
            Some(file) => files.push(file),
            None => add(&mut gathered.records, at(charge.tag), charge.sizes),
        }
    }
    gathered.records.extend(files);
    gathered.records.sort_unstable_by(order::inner_first);
    add_up(&mut gathered.records);
    gathered
}

fn add(records: &mut [UsageRecord], index: usize, sizes: Sizes) {
    if let Some(record) = records.get_mut(index) {
        record.sizes += sizes;
    }
}

/// Adds to each directory what lies in it; it comes right after that.
fn add_up(records: &mut [UsageRecord]) {
    let mut waiting: Vec<Sizes> = Vec::new();
    for record in records {
        let depth = record.depth;
        if waiting.len() < depth + 2 {
            waiting.resize(depth + 2, Sizes::default());
        }
        record.sizes += std::mem::take(&mut waiting[depth + 1]);
        waiting[depth] += record.sizes;
    }
}
