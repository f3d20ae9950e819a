//! Makes every call of a copy fail once, with each plausible error.

use std::collections::BTreeSet;

use super::trees::{difference, entries, relative};
use super::{copy, every, is_below, quiet, setup, tree};
use crate::copy::Method;
use crate::error::{Error, Operation};
use crate::sys::fault::Faults;
use crate::sys::memory::Setup;

const ERRORS: [i32; 4] = [5, 13, 24, 28];

/// Whether an error leaves an entry with its content.
fn is_of_metadata(error: &Error) -> bool {
    use Operation::{ReadAttributes, SetAttributes, SetOwner, SetPermissions, SetTimes};
    let operations = [ReadAttributes, SetAttributes, SetOwner, SetPermissions, SetTimes];
    operations.contains(&error.operation())
}

/// A failure is reported with its path, or has no effect. Everything else is there, and the report
/// counts what is there.
#[test]
fn failure_of_any_call_is_reported() {
    for (existing, mut options) in every() {
        // Another method would do.
        options.methods.truncate(if options.methods[0] == Method::HardLink { 1 } else { 2 });
        let new = || setup(existing, |world| world.rules.reflinks = existing);
        let (_, complete) = quiet(&options, &new());
        Faults::each(&new(), &ERRORS, |faulty, fails| {
            let setup = Setup { faults: faulty.faults.clone(), ..new() };
            let (before, nodes) = setup.world(|world| (entries(world), tree(world, "")));
            let report = copy(&options, &setup);
            let (mut found, mut complete) = (setup.world(|world| entries(world)), complete.clone());
            let case = format!("{fails:?}: {report:#?}");

            let mut counts = [0; 3];
            let mut known: BTreeSet<usize> = nodes.into_values().collect();
            for (path, entry) in &found {
                if before.get(path).map(|before| before.number) != Some(entry.number) {
                    counts[usize::from(entry.kind.is_dir())] += 1;
                }
                counts[2] += if known.insert(entry.number) { entry.content.0 } else { 0 };
            }
            assert_eq!([report.files, report.directories, report.bytes], counts, "{case}");

            assert!(report.error_count <= 1, "reported twice, {case}");
            if let Some(error) = report.errors.first() {
                assert_eq!(error.raw_os_error(), fails.map(|fails| fails.errno), "{case}");
                let failed = relative(error);
                if is_of_metadata(error) {
                    let number = complete[&failed].number;
                    for entry in complete.values_mut().filter(|entry| entry.number == number) {
                        (entry.mode, entry.modified) = (None, None);
                    }
                } else {
                    let is_elsewhere = |path: &str| !is_below(path, &failed);
                    complete.retain(|path, _| is_elsewhere(path));
                    found.retain(|path, _| is_elsewhere(path));
                }
            }
            assert_eq!(difference(&complete, &found), None, "{case}");
        });
    }
}
