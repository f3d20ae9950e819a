use std::borrow::Cow;

use curt::paths::ThisProcess;
use curt::paths::{Aliases, DotDot, Env, Expander, Flavor, PathCheck};
use curt_testkit::alloc::measure;

fn count<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let (result, used) = measure(run);
    (result, used.count)
}

#[test]
fn a_clean_path_is_borrowed() {
    let posix = Expander::new(Env::none()).flavor(Flavor::Posix);
    let windows = Expander::new(Env::none()).flavor(Flavor::Windows);
    let wide: Vec<u16> = r"C:\Users\me\.config\curt".encode_utf16().collect();
    let ((), allocations) = count(|| {
        for text in ["/", "/a", "/usr/lib/x86_64-linux-gnu/.hidden/libc.so.6", "/a/.b"] {
            assert!(matches!(posix.expand(text.as_bytes()), Ok(Cow::Borrowed(_))), "{text}");
        }
        for text in [r"C:\", r"C:\Users\me\.config\curt\x..y", r"\\srv\shr\a.b", r"\\?\C:\x"] {
            assert!(matches!(windows.expand(text.as_bytes()), Ok(Cow::Borrowed(_))), "{text}");
        }
        assert!(matches!(windows.expand(&wide), Ok(Cow::Borrowed(_))));
    });
    assert_eq!(allocations, 0);
    let own = Expander::new(ThisProcess::new());
    let here = std::env::current_dir().unwrap();
    let (is_borrowed, allocations) =
        count(|| matches!(own.expand_path(&here), Ok(Cow::Borrowed(path)) if path == here));
    assert!(is_borrowed && allocations == 0);
    for text in ["//a", "/a/..x", "/a/../b"] {
        let full = posix.expand(text.as_bytes()).unwrap();
        assert!(matches!(full, Cow::Borrowed(_)), "{text} takes a closer look, and is borrowed");
    }
}

#[test]
fn a_large_enough_buffer_is_not_reallocated() {
    let env = || Env::none().cwd("/here/dir");
    let posix = Expander::new(env()).flavor(Flavor::Posix).dot_dot(DotDot::Clamp);
    let windows = Expander::new(Env::none().cwd(r"C:\dir")).flavor(Flavor::Windows);
    let mut buffer = Vec::with_capacity(256);
    for expander in [&posix, &windows] {
        expander.expand_into(b"warm", &mut buffer).unwrap();
        let (written, allocations) =
            count(|| expander.expand_into(b"a/./b//../c/d.e/../f", &mut buffer));
        assert_eq!((written, allocations), (Ok(()), 0));
    }
    assert_eq!(buffer, br"C:\dir\a\c\f");
}

#[test]
fn a_check_allocates_nothing() {
    let texts = ["a/b/c.txt", "../x", "logs/aux.txt", "é/日本\u{200c}", "C:x", "a/../b/./c", ""];
    let ((), allocations) = count(|| {
        for check in [PathCheck::new(Flavor::Windows), PathCheck::new(Flavor::Posix)] {
            for aliases in [Aliases::Open, Aliases::Strict] {
                for text in texts {
                    let _ = check.aliases(aliases).check(text.as_bytes());
                }
            }
        }
    });
    assert_eq!(allocations, 0);
}
