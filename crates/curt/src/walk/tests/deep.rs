use curt_testkit::Scratch;

use super::{on_real_platforms, plan, walk};
#[cfg(target_os = "linux")]
use crate::sys::Setup;
use crate::sys::tests::as_here;
use crate::sys::{Feature, Sys};

on_real_platforms!(a_comb_is_complete_on_a_small_stack);

fn a_comb_is_complete_on_a_small_stack<S: Sys>() {
    const BRANCHED: usize = if cfg!(windows) { 60 } else { 100 };
    let scratch = Scratch::new();
    #[cfg(unix)]
    let levels = 1_000;
    #[cfg(windows)]
    let levels = BRANCHED;
    #[cfg(unix)]
    scratch.deep("t", levels, "spine");
    for level in 0..BRANCHED {
        let path = format!("t{}", "/spine".repeat(level));
        scratch.dir(format!("{path}/branch-{level}"));
        scratch.dir(format!("{path}/a-{level}"));
    }
    #[cfg(windows)]
    scratch.dir(format!("t{}", "/spine".repeat(levels)));
    let work = || {
        for options in [plan(), plan().sort_by_name(true)] {
            let few = options.descriptors(8);
            for options in
                [few.clone(), few.clone().without(Feature::Openat2), few.contents_first(true)]
            {
                let seen = walk::<S>(&options, &scratch, "t");
                assert!(seen.errors.is_empty(), "{:?}", &seen.errors[..1]);
                assert_eq!(seen.entries.len(), levels + 1 + 2 * BRANCHED);
            }
        }
    };
    std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        small.spawn_scoped(scope, as_here(work)).unwrap().join().unwrap();
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_cannot_be_opened_again_is_reported_with_its_reason() {
    use crate::sys::Os;
    use crate::sys::fault::Faults;
    use std::sync::Arc;
    let scratch = Scratch::new();
    for level in 0..15 {
        scratch.tree(&format!("t{}", "/spine".repeat(level)), "branch/ spine/ then/");
    }
    let options = plan().sort_by_name(true).descriptors(8);
    let whole = walk::<Os>(&options, &scratch, "t").entries.len();
    let mut reopened = 0;
    for call in 0.. {
        let faults = Arc::new(Faults::default().fail("openat2", call, libc::EIO));
        let setup = Setup { faults: Some(Arc::clone(&faults)), ..Setup::default() };
        let (base, operand) = (scratch.path(), scratch.at("t"));
        let seen = super::walk_with::<Os>(&setup, &options, base, &operand);
        if faults.hits() == 0 {
            break;
        }
        assert_eq!(seen.errors.len(), 1, "{call}: {:?}", seen.errors);
        assert_eq!(seen.errors[0].raw_os_error(), Some(libc::EIO), "{:?}", seen.errors);
        let path = super::spelled(seen.errors[0].path().strip_prefix(base).unwrap());
        assert!(seen.paths().contains(&path.as_str()), "{path}");
        if seen.paths().iter().any(|seen| seen.starts_with(&format!("{path}/"))) {
            assert!(seen.entries.len() < whole, "{path}");
            reopened += 1;
        }
    }
    assert!(reopened > 0, "no directory was closed in between");
}
