//! Report 2's question for listing: what does the size of the buffer matter?
//!
//! The library lists one directory of many entries (report 2: 25,000 files) and writes how many it
//! saw, in a new process for each size. A size that the library refuses is named.

use super::super::answer::Question;
use super::super::contender::{Contender, Counting, Found};
use super::super::operation::{Operation, Scenario};
use super::super::programs::Programs;
use super::super::tree::{Content, Tree};
use super::{CHECKED, COUNTED, describe};

/// The table of the entry buffers.
pub(crate) static OPERATION: Operation = Operation {
    name: "buffers",
    title: "curt::list::Directory::buffer: listing through buffers of several sizes",
    reference: "curt 64 KiB",
    scenarios: &[Scenario {
        name: "flat-25k",
        make: |shrink| Tree::flat(25_000 / shrink, Content::Empty),
        shape: "flat-25k",
        question: Question::Count,
        quick: (2, 0),
        counted: u64::MAX,
    }],
    contenders,
    describe,
    notes: &[
        "curt: the buffer that the library takes unasked, which grows from 64 KiB.",
        COUNTED,
        "divided by the entries; here that tree is the whole one. All counted by strace.",
        CHECKED,
    ],
};

const KIB: usize = 1024;
const SIZES: [usize; 6] = [KIB, 2 * KIB, 4 * KIB, 8 * KIB, 64 * KIB, KIB * KIB];

fn contenders(_: &Scenario, programs: &Programs) -> Found {
    let least = curt::list::Directory::LEAST_BUFFER;
    let mut found = Found::default();
    let mut add = |name: &str, buffer: Option<usize>| {
        let mut arguments = vec!["--role", "list"];
        let bytes = buffer.map(|bytes| bytes.to_string());
        arguments.extend(bytes.iter().flat_map(|bytes| ["--buffer", bytes]));
        arguments.push("--");
        match buffer {
            Some(bytes) if bytes < least => {
                found.miss(name, format!("refused: the least is {least} bytes"));
            }
            _ => {
                found
                    .add(Contender::new(name, &programs.own, &arguments).counted(Counting::Strace));
            }
        }
    };
    add("curt", None);
    if !SIZES.contains(&least) {
        add(&format!("curt {least} bytes"), Some(least));
    }
    for size in SIZES {
        add(&format!("curt {}", words(size)), Some(size));
    }
    found
}

fn words(bytes: usize) -> String {
    match bytes / KIB {
        KIB => "1 MiB".to_owned(),
        kib => format!("{kib} KiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_takes_part_or_is_named() {
        let found = contenders(&OPERATION.scenarios[0], &crate::programs::tests::some());
        assert!(found.knows(OPERATION.reference));
        let sizes = found.contenders.len() + found.missing.len();
        assert!((SIZES.len() + 1..=SIZES.len() + 2).contains(&sizes));
        assert!(found.missing.iter().all(|missing| missing.how.starts_with("refused")));
    }
}
