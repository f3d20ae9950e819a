//! Ctrl-Break: the totals are said, and the exit code is 130.

use std::io::Read;
use std::os::windows::process::CommandExt;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use curt_testkit::windows::{has_console, in_a_console, send_break};
use curt_testkit::{Scratch, skip};

use crate::{Said, curt};

const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// Starts the command where Ctrl-Break reaches it alone.
fn start(scratch: &Scratch, args: &[&str]) -> Child {
    let mut command = curt(scratch.typed(), args);
    command.stdin(Stdio::piped()).creation_flags(CREATE_NEW_PROCESS_GROUP).spawn().unwrap()
}

#[test]
fn a_prompt_is_interrupted() {
    if !has_console() {
        return in_a_console("console::a_prompt_is_interrupted");
    }
    for args in [&["-i", "f"][..], &["-rI", "f"], &["-i", "--json", "f"]] {
        let scratch = Scratch::new();
        scratch.file("f");
        let mut child = start(&scratch, args);
        child.stderr.as_mut().unwrap().read_exact(&mut [0; 10]).unwrap();
        let begun = Instant::now();
        send_break(&child).unwrap();
        // Its standard input stays open: it does not end because of that.
        let input = child.stdin.take();
        let said = Said::of(&child.wait_with_output().unwrap());
        drop(input);
        assert_eq!(said.code, Some(130), "{said:?}");
        assert!(begun.elapsed() < Duration::from_secs(5));
        let is_told = said.messages.contains("interrupted: 0 files and 0 directories removed");
        assert!(is_told || said.out.contains("\"interrupted\":true"), "{said:?}");
        assert!(scratch.exists("f"));
    }
}

#[test]
fn a_large_removal_stops_and_says_how_far_it_came() {
    if !has_console() {
        return in_a_console("console::a_large_removal_stops_and_says_how_far_it_came");
    }
    let scratch = Scratch::new();
    for directory in 0..100 {
        let path = scratch.dir(format!("t/{directory}"));
        for file in 0..80 {
            std::fs::write(path.join(format!("{file}")), "").unwrap();
        }
    }
    for attempt in 0..20 {
        let child = start(&scratch, &["-r", "t"]);
        thread::sleep(Duration::from_millis(40));
        send_break(&child).unwrap();
        let said = Said::of(&child.wait_with_output().unwrap());
        if said.code == Some(0) {
            // It was done before the key was pressed.
            break;
        }
        if said.messages.is_empty() || said.messages.contains("interrupted: 0 files") {
            // It had hardly begun; before it listens, the system ends it.
            continue;
        }
        assert_eq!(said.code, Some(130), "{attempt}: {said:?}");
        assert!(said.messages.starts_with("curt rm: interrupted: "), "{said:?}");
        assert!(said.messages.ends_with(" removed\n"), "{said:?}");
        assert!(scratch.exists("t"));
        return;
    }
    skip("no key was pressed in the middle of a removal");
}
