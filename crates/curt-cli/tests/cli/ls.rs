use std::io::Read;
use std::process::Command;

use curt_testkit::Scratch;

use crate::terminal::in_a_terminal;

fn curt(scratch: &Scratch, args: &[&str]) -> Command {
    crate::command(scratch, args[0], &args[1..])
}

#[test]
fn a_terminal_sees_columns_and_no_control_characters() {
    let scratch = Scratch::new();
    for name in ["plain", "a b", "esc\u{1b}[31m", "\u{6f22}\u{5b57}", "e\u{301}"] {
        scratch.file(name);
    }
    let Some(shown) = in_a_terminal(&scratch, "stty cols 40; $CURT ls", "") else { return };
    assert!(shown.contains("'a b'") && shown.contains("'esc'$'\\033''[31m'"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let Some(shown) = in_a_terminal(&scratch, "TERM=xterm $CURT ls --color=auto -d .", "") else {
        return;
    };
    assert!(shown.contains("\u{1b}[01;34m.\u{1b}[0m"), "{shown:?}");
    let line =
        "NO_COLOR=1 $CURT ls --color=auto -d .; $CURT ls -d --color=never .; $CURT ls --json";
    let Some(shown) = in_a_terminal(&scratch, line, "") else { return };
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

/// The listing blocks on the unread pipe well before it reaches the swapped directory.
#[test]
fn swapped_directories_do_not_escape_the_operand() {
    let scratch = Scratch::new();
    for (operand, large, last) in [("one", "one/a", "one/b"), ("two", "two/b/a", "two/b/c")] {
        let large = scratch.dir(large);
        for number in 0..3_000 {
            std::fs::File::create(large.join(format!("{number:0200}"))).unwrap();
        }
        scratch.file(format!("{last}/own"));
        scratch.file(format!("outside-{operand}/c/secret"));
        let mut child = curt(&scratch, &["ls", "-R", operand]).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 1]).unwrap();
        let swapped = format!("{operand}/b");
        std::fs::rename(scratch.at(&swapped), scratch.at(format!("aside-{operand}"))).unwrap();
        scratch.link(&swapped, format!("../outside-{operand}"));
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(!text.contains("secret"), "{last} led elsewhere");
        // `two/b` was open when it was moved, so it is listed at its new path, as in a walk.
        let is_listed = operand == "two";
        assert_eq!(text.contains(&format!("{last}:\nown\n")), is_listed, "{last}");
        let message = format!("curt ls: cannot open directory '{last}': Not a directory\n");
        let message = if is_listed { "" } else { &message };
        assert_eq!(String::from_utf8_lossy(&output.stderr), message);
        assert_eq!(output.status.code(), Some(i32::from(!is_listed)));
    }
}
