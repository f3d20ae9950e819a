//! Tests the counting of entries with a failed query. On Windows, listings have the sizes but not
//! the number of names.

use crate::fields::{Facts, Fields, Metadata};
use crate::usage::Sizes;

#[test]
fn a_known_size_is_counted_whatever_else_failed() {
    let sizes = Fields::SIZE | Fields::ALLOCATED;
    for (known, has_failed, is_counted) in [
        (sizes, true, true),
        (sizes | Fields::KIND, true, true),
        (sizes, false, true),
        (Fields::KIND, false, true),
        (Fields::KIND, true, false),
        (Fields::SIZE, true, false),
    ] {
        let facts = Facts { known, ..Facts::default() };
        assert_eq!(Sizes::count(&facts, has_failed), is_counted, "{known:?} {has_failed}");
    }
}

#[test]
fn nothing_is_known_of_the_next_entry() {
    let known = Fields::LINKS | Fields::ATTRIBUTES;
    let facts = Facts { known, links: 2, is_mount: true, ..Facts::default() };
    let mut metadata = Metadata { facts, ..Metadata::default() };
    assert!(metadata.facts.has_several_names() && metadata.facts.is_known_mount());
    metadata.reset(known);
    assert!(!metadata.facts.has_several_names() && !metadata.facts.is_known_mount());
}
