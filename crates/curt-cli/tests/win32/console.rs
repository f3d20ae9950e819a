use std::io::Read;
use std::os::windows::process::CommandExt;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use curt_testkit::windows::{has_own_console, is_wine, press_ctrl_break, press_ctrl_c};
use curt_testkit::{Scratch, skip};

use crate::{Outcome, curt};

const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

#[derive(Clone, Copy, PartialEq)]
enum Key {
    C,
    Break,
}

impl Key {
    fn works(self) -> bool {
        let works = self == Key::C || !is_wine();
        if !works {
            skip("Wine ends programs at Ctrl-Break without asking them");
        }
        works
    }

    /// Only Ctrl-Break uses a new process group, because Ctrl-C would not reach one.
    fn start(self, scratch: &Scratch, args: &[&str]) -> Child {
        let mut command = curt(scratch.typed(), args);
        let group = if self == Key::Break { CREATE_NEW_PROCESS_GROUP } else { 0 };
        command.stdin(Stdio::piped()).creation_flags(group).spawn().unwrap()
    }

    /// Retries, because the system may refuse while the program starts.
    fn press(self, child: &Child) {
        let press = || match self {
            Key::C => press_ctrl_c(),
            Key::Break => press_ctrl_break(child),
        };
        let mut tries = (0..100).map(|_| press());
        tries.find(|pressed| {
            thread::sleep(Duration::from_millis(5));
            pressed.is_ok()
        });
    }
}

#[test]
fn ctrl_c_interrupts_a_prompt() {
    if has_own_console("console::ctrl_c_interrupts_a_prompt") {
        interrupt_a_prompt(Key::C);
    }
}

#[test]
fn ctrl_break_interrupts_a_prompt() {
    if Key::Break.works() && has_own_console("console::ctrl_break_interrupts_a_prompt") {
        interrupt_a_prompt(Key::Break);
    }
}

#[test]
fn ctrl_c_stops_a_large_removal() {
    if has_own_console("console::ctrl_c_stops_a_large_removal") {
        stop_a_large_removal(Key::C);
    }
}

#[test]
fn ctrl_break_stops_a_large_removal() {
    if Key::Break.works() && has_own_console("console::ctrl_break_stops_a_large_removal") {
        stop_a_large_removal(Key::Break);
    }
}

fn interrupt_a_prompt(key: Key) {
    for args in [&["-i", "f"][..], &["-rI", "f"], &["-i", "--json", "f"]] {
        let scratch = Scratch::new();
        scratch.file("f");
        let mut child = key.start(&scratch, args);
        child.stderr.as_mut().unwrap().read_exact(&mut [0; 10]).unwrap();
        let begun = Instant::now();
        key.press(&child);
        // The input remains open, so that only the key can end the program.
        let input = child.stdin.take();
        let outcome = Outcome::of(&child.wait_with_output().unwrap());
        drop(input);
        assert_eq!(outcome.code, Some(130), "{outcome:?}");
        assert!(begun.elapsed() < Duration::from_secs(5));
        let is_reported =
            outcome.messages.contains("interrupted: 0 files and 0 directories removed");
        assert!(is_reported || outcome.messages.contains("\"interrupted\":true"), "{outcome:?}");
        assert!(scratch.exists("f"));
    }
}

fn stop_a_large_removal(key: Key) {
    let scratch = Scratch::new();
    for attempt in 0..10 {
        // On a busy machine the key arrives late, so later attempts use a larger tree.
        let directories = 60 << (attempt / 3);
        for directory in 0..directories {
            let path = scratch.dir(format!("t/{directory}"));
            for file in 0..60 {
                std::fs::write(path.join(format!("{file}")), "").unwrap();
            }
        }
        let mut child = key.start(&scratch, &["-r", "t"]);
        let has_begun =
            || (0..directories).any(|directory| !scratch.exists(format!("t/{directory}")));
        while !has_begun() && child.try_wait().unwrap().is_none() {}
        key.press(&child);
        let outcome = Outcome::of(&child.wait_with_output().unwrap());
        if outcome.code == Some(0) {
            continue;
        }
        assert_eq!(outcome.code, Some(130), "{attempt}: {outcome:?}");
        assert!(outcome.messages.starts_with("curt rm: interrupted: "), "{outcome:?}");
        assert!(outcome.messages.ends_with(" removed\n"), "{outcome:?}");
        assert!(!outcome.messages.contains("interrupted: 0 files"), "{outcome:?}");
        assert!(scratch.exists("t"));
        return;
    }
    skip("no key was pressed in the middle of a removal");
}
