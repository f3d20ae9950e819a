use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use curt_testkit::{Scratch, at_once, skip};

pub(crate) fn in_a_terminal(scratch: &Scratch, line: &str, typed: &str) -> Option<String> {
    let shown = bytes_in_a_terminal(scratch, line, typed)?;
    Some(String::from_utf8_lossy(&shown).into_owned())
}

pub(crate) fn bytes_in_a_terminal(scratch: &Scratch, line: &str, typed: &str) -> Option<Vec<u8>> {
    let line = line.replace("$CURT", env!("CARGO_BIN_EXE_curt"));
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(scratch.path());
    command.env("TERM", "xterm");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        skip("script is not installed");
        return None;
    };
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Some(output.stdout)
}

#[test]
fn write_protected_files_are_prompted_for() {
    let scratch = Scratch::new();
    let mut program = "$CURT".to_owned();
    if curt_testkit::is_root() {
        // Run as a different user, because root can write to every file and gets no prompt.
        fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let mut copy = Command::new("cp");
        copy.arg(env!("CARGO_BIN_EXE_curt")).arg(scratch.at("curt"));
        assert!(copy.status().unwrap().success());
        program = "setpriv --reuid=65534 --regid=65534 --clear-groups ./curt".to_owned();
        let works = Command::new("setpriv").arg("--version").stdout(Stdio::null()).status();
        if works.is_err() {
            skip("setpriv is not installed");
            return;
        }
    }
    for (typed, stays) in [("n\n", true), ("y\n", false)] {
        let file = scratch.file("f");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
        let line = format!("{program} rm f; echo ended $?");
        let Some(shown) = in_a_terminal(&scratch, &line, typed) else {
            return;
        };
        let words = "curt rm: remove write-protected regular empty file 'f'? ";
        assert!(shown.contains(words) && shown.contains("ended 0"), "{shown}");
        assert_eq!(scratch.exists("f"), stays, "{shown}");
        if stays {
            scratch.remove("f");
        }
    }
}

/// The late answer to a prompt makes the command last long enough for progress.
#[test]
fn long_work_shows_progress_on_a_terminal() {
    if in_a_terminal(&Scratch::new(), "true", "").is_none() {
        return;
    }
    let cases = [
        ("rm -rI t", true),
        ("rm -rIv t", false),
        ("rm -rI t 2>messages", false),
        ("rm -rIv --progress t", true),
        ("rm -rI --no-progress t", false),
        ("rm -rI --no-progress --progress t", true),
        ("rm -rI --progress --no-progress t", false),
        ("rm -rf --progress t", false),
        ("cp -ri t/. u", true),
        ("cp -riv t/. u", false),
        ("cp -ri --no-progress t/. u", false),
        ("cp -riv --progress t/. u", true),
    ];
    at_once(cases, |(command, is_shown)| {
        let scratch = Scratch::new();
        scratch.file("u/f");
        scratch.file_with("t/f", b"four");
        let line = format!("(sleep 2.2; echo y) | $CURT {command}; echo ended $?");
        let shown = in_a_terminal(&scratch, &line, "").unwrap();
        assert!(shown.contains("ended 0"), "{command}: {shown}");
        let copies = command.starts_with("cp");
        let totals = if copies { "cp: 1 file, 4 bytes" } else { "rm: 2 entries removed" };
        let progress = format!("\r\x1b[Jcurt {totals}");
        assert_eq!(shown.contains(&progress), is_shown, "{command}: {shown}");
        assert_eq!(scratch.exists("t"), copies);
    });
}

#[test]
fn progress_has_a_rate_and_fits_the_terminal() {
    if in_a_terminal(&Scratch::new(), "true", "").is_none() {
        return;
    }
    let cases = [
        ("export TERM=xterm", true),
        ("export TERM=dumb", false),
        ("stty cols 80; export TERM=xterm", true),
        ("stty cols 30; export TERM=xterm", true),
    ];
    at_once(cases, |(setup, is_shown)| {
        let scratch = Scratch::new();
        for number in 0..80 {
            scratch.file(format!("t/f{number}"));
        }
        let answers = "(yes | head -30; sleep 2.2; yes)";
        let line = format!("{setup}; {answers} | $CURT rm -ri t; echo ended $?");
        let shown = in_a_terminal(&scratch, &line, "").unwrap();
        assert!(shown.contains("ended 0"), "{setup}: {shown}");
        let lines: Vec<&str> =
            shown.split('\r').filter(|line| line.contains(" entries removed")).collect();
        assert_eq!(!lines.is_empty(), is_shown, "{setup}: {shown}");
        let is_narrow = setup.contains("cols 30");
        for line in lines {
            // Each line begins with a sequence that erases lines wrapped by a narrowed terminal.
            let line = line.strip_prefix("\x1b[J").unwrap();
            assert!(shown.contains(&format!("{line}\r\r\x1b[J")), "{shown:?}");
            assert_eq!(line.contains(" per second"), !is_narrow, "{setup}: {line}");
            assert!(!is_narrow || line.chars().count() < 30, "{setup}: {line}");
        }
    });
}
