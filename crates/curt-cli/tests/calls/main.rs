//! Exact call ceilings, checked with strace and against curt's own counts.
//!
//! A ceiling is a slope: the difference in calls between trees of two sizes, divided by the
//! difference in size. The snapshots next to this file contain the ceilings. To change one, run
//! with `CURT_UPDATE_SNAPSHOTS=1`, and explain the change in the commit.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod beneath;
mod du;
mod find;
mod injected;
mod ls;
mod rm;
mod run;
mod start;
mod strace;
mod threads;
mod which;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

fn check_snapshot(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls");
    let path = folder.join(name).with_extension("snap");
    if std::env::var_os("CURT_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(known, text, "{} is not what was measured", path.display());
}

fn slope(text: &mut String, label: &str, difference: &BTreeMap<String, i64>, units: u64) {
    writeln!(text, "{label}").unwrap();
    for (name, count) in difference {
        writeln!(text, "    {name:<12} {count:>5} for {units}").unwrap();
    }
}
