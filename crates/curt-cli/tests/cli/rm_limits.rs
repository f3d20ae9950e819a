//! `curt rm` with limits: how many entries, how fast, whose.

use std::time::{Duration, Instant};

use curt_testkit::Scratch;

use crate::{run, tree};

#[test]
fn nothing_is_removed_above_max_entries() {
    let scratch = Scratch::new();
    // Five files and three directories.
    tree(&scratch, "t");
    scratch.file("f");
    let before = scratch.list(".");
    for (most, options) in [(7, "t"), (8, "t f"), (0, "t"), (4, "--exclude *.keep t f")] {
        let (code, out, messages) = run(&scratch, &format!("-r --max-entries {most} {options}"));
        assert_eq!((code, out.as_str()), (Some(1), ""), "{options}");
        let words = "nothing was removed: there are more than";
        assert_eq!(messages, format!("curt rm: {words} {most} entries (--max-entries)\n"));
        assert_eq!(scratch.list("."), before, "{options}");
    }
    let (_, out, _) = run(&scratch, "-r --json --max-entries 3 t");
    assert!(out.contains("\"kind\":\"too-many-entries\""), "{out}");
    assert_eq!(scratch.list("."), before);
    // What is excluded does not count, and neither does what is missing.
    let (code, _, messages) =
        run(&scratch, "-rf --exclude *.keep --max-entries 6 t/a t/sub f gone");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(scratch.exists("t/sub/d.keep") && !scratch.exists("t/sub/c") && !scratch.exists("f"));
    let (code, _, messages) = run(&scratch, "-r --max-entries 4 t");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(!scratch.exists("t"));
}

#[test]
fn a_rate_is_kept_to() {
    let scratch = Scratch::new();
    for number in 0..20 {
        scratch.file(format!("t/f{number}"));
        scratch.file(format!("g{number}"));
    }
    let begun = Instant::now();
    let (code, _, messages) = run(&scratch, "-r --rate 100 -j4 t");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    // 21 entries, of which the last that fill no pause are not waited for.
    assert!(begun.elapsed() >= Duration::from_millis(195), "{:?}", begun.elapsed());
    let operands: Vec<String> = (0..20).map(|number| format!("g{number}")).collect();
    let begun = Instant::now();
    let (code, ..) = run(&scratch, &format!("--rate 100 {}", operands.join(" ")));
    assert_eq!(code, Some(0));
    assert!(begun.elapsed() >= Duration::from_millis(195), "{:?}", begun.elapsed());
    assert!(scratch.list(".").is_empty());
    for rate in ["0", "-1", "x"] {
        let (code, _, messages) = run(&scratch, &format!("--rate {rate} missing"));
        assert_eq!(code, Some(2), "{messages}");
        assert!(messages.contains("expected a number of entries per second"), "{messages}");
    }
}

#[test]
fn the_contents_of_the_working_directory_are_removed() {
    for operand in [".", "./", "sub/..", "../{name}/."] {
        let scratch = Scratch::new();
        tree(&scratch, "sub");
        let name = scratch.path().file_name().unwrap().to_str().unwrap().to_owned();
        let operand = operand.replace("{name}", &name);
        let is_refused = operand.ends_with("..");
        let (code, out, messages) = run(&scratch, &format!("-r --contents {operand}"));
        if is_refused {
            assert_eq!(code, Some(1), "{operand}");
            assert!(messages.contains("refusing to remove '.' or '..'"), "{messages}");
        } else {
            assert_eq!((code, out.as_str(), messages.as_str()), (Some(0), "", ""), "{operand}");
        }
        assert_eq!(scratch.exists("sub/a"), is_refused, "{operand}");
    }
    let scratch = Scratch::new();
    scratch.file("f");
    // Without --contents, `.` itself would have to go; without -r, nothing in it may.
    for (options, words) in [("-r .", "refusing to remove"), ("--contents .", "")] {
        let (code, _, messages) = run(&scratch, options);
        assert_eq!(code, Some(1), "{options}");
        assert!(messages.contains(words) && !messages.is_empty(), "{messages}");
        assert!(scratch.exists("f"));
    }
}

#[cfg(unix)]
mod owner {
    use std::os::unix::fs::{MetadataExt, chown};

    use curt_testkit::{Scratch, skip};

    use crate::run;

    #[test]
    fn only_what_a_user_owns_is_removed() {
        let scratch = Scratch::new();
        for path in ["t/mine/a", "t/theirs/mine", "t/theirs/b", "t/c", "d", "e"] {
            scratch.file(path);
        }
        if std::fs::metadata(scratch.path()).unwrap().uid() != 0 {
            return skip("acting as another user needs root");
        }
        for path in ["t/theirs", "t/theirs/b", "t/c", "e"] {
            chown(scratch.at(path), Some(65534), None).unwrap();
        }
        let (code, out, messages) = run(&scratch, "-r --dry-run --owner root t d e");
        assert_eq!((code, messages.as_str()), (Some(0), ""));
        assert!(out.starts_with("would remove 3 files and 1 directory"), "{out}");
        assert!(out.ends_with(", 4 kept\n"), "{out}");
        let (code, _, messages) = run(&scratch, "-r --max-entries 3 --owner 0 t d e");
        assert_eq!(code, Some(1), "{messages}");
        assert!(scratch.exists("t/mine/a") && scratch.exists("d"));
        let (code, out, messages) = run(&scratch, "-rv -j1 --owner 0 --max-entries 4 t d e");
        assert_eq!((code, messages.as_str()), (Some(0), ""));
        let mut lines: Vec<&str> = out.lines().collect();
        lines.sort_unstable();
        let removed = [
            "removed 'd'",
            "removed 't/mine/a'",
            "removed 't/theirs/mine'",
            "removed directory 't/mine'",
        ];
        assert_eq!(lines, removed);
        assert!(scratch.exists("t/theirs/b") && scratch.exists("t/c") && scratch.exists("e"));
        let (code, _, messages) = run(&scratch, "-r --owner 65534 t e");
        assert_eq!((code, messages.as_str()), (Some(0), ""));
        assert_eq!(scratch.list("."), ["d t"], "the directory is root's");
    }

    #[test]
    fn an_empty_directory_of_another_user_stays() {
        let scratch = Scratch::new();
        if std::fs::metadata(scratch.path()).unwrap().uid() != 0 {
            return skip("acting as another user needs root");
        }
        for directory in ["a", "b"] {
            chown(scratch.dir(directory), Some(65534), None).unwrap();
        }
        let (code, _, messages) = run(&scratch, "-d --owner 0 a");
        assert_eq!((code, messages.as_str()), (Some(0), ""));
        let (code, _, messages) = run(&scratch, "-r --owner 0 b");
        assert_eq!((code, messages.as_str()), (Some(0), ""));
        assert!(scratch.exists("a") && scratch.exists("b"));
        let (code, ..) = run(&scratch, "-d --owner 65534 a b");
        assert_eq!(code, Some(0));
        assert!(!scratch.exists("a") && !scratch.exists("b"));
    }

    #[test]
    fn an_unknown_user_is_refused() {
        let scratch = Scratch::new();
        scratch.file("f");
        for user in ["no-such-user", "-1", "99999999999", ""] {
            let (code, _, messages) = run(&scratch, &format!("f --owner={user}"));
            assert_eq!(code, Some(2), "{messages}");
            assert!(messages.starts_with(&format!("curt rm: unknown user '{user}'")), "{messages}");
            assert!(scratch.exists("f"));
        }
    }
}
