#![cfg(unix)]

use super::{Limits, Loops, Reached, Verdict, ancestors};
use crate::sys::fault::Faults;
use crate::sys::{Os, Setup, Sys};

#[test]
fn all_ancestors_are_found_or_a_failure_is_reported() {
    use rustix::io::Errno;
    let scratch = curt_testkit::Scratch::new();
    let path = scratch.dir("a/b/c");
    let errors = [Errno::ACCESS, Errno::PERM, Errno::IO, Errno::MFILE, Errno::NOMEM];
    Faults::each(&Setup::default(), &errors.map(Errno::raw_os_error), |setup, fails| {
        let sys = Os::start(setup);
        let Ok(dir) = sys.open_for_lookup(&path) else { return };
        match ancestors(&dir, 4, &sys) {
            Ok(all) => assert_eq!(all.len(), 4, "{fails:?}"),
            Err(error) => {
                assert_eq!(error.raw_os_error(), fails.map(|fails| fails.errno), "{fails:?}");
            }
        }
        sys.close(dir);
    });
}

#[test]
fn a_loop_names_the_depth_of_its_ancestor() {
    let scratch = curt_testkit::Scratch::new();
    scratch.tree("", "a/b/c/d/e/f/ other/");
    let sys = Os::start(&Setup::default());
    let open = |path: &str| sys.open_for_lookup(&scratch.at(path)).unwrap();
    let (b, d, other) = (open("a/b"), open("a/b/c/d"), open("other"));
    let mut loops = Loops::new(Limits { follow: true, ..Limits::default() }, true);
    let enter = |loops: &mut Loops, dir, depth, mounted_in| match loops.enter(
        dir,
        depth,
        Reached::Mount,
        mounted_in,
        &sys,
    ) {
        Ok(Verdict::Loop(ancestor)) => Some(ancestor),
        Ok(Verdict::Enter(_)) => None,
        _ => panic!("it is not left out"),
    };
    assert_eq!(enter(&mut loops, &b, 4, Some(&d)), Some(1));
    // From now on everything inside a different mount of the same filesystem is compared.
    assert_eq!(enter(&mut loops, &other, 4, Some(&d)), None);
    assert_eq!(enter(&mut loops, &b, 5, None), Some(1));
    assert_eq!(enter(&mut loops, &other, 5, None), Some(4));
    loops.leave(4);
    assert!(loops.lacks_ancestors());
    loops.add_ancestors(&d, 4, &sys).unwrap();
    assert_eq!(enter(&mut loops, &b, 4, None), Some(1));
}
