//! No command may send control characters, or others that change how a line looks, to a terminal.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use curt_testkit::{Scratch, cells};

use crate::terminal::bytes_in_a_terminal;

fn names() -> Vec<Vec<u8>> {
    let control = (1..0x20).chain([0x7f]).filter(|byte| !b"\n".contains(byte));
    let mut names: Vec<Vec<u8>> = control.map(|byte| vec![b'a', byte, b'z']).collect();
    names.extend((0x80..0xa0).map(|byte| vec![b'a', byte, b'z']));
    let characters =
        (0x80..0xa0).chain([0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff, 0xad]);
    let characters = characters.chain(0x202a..=0x202e).chain(0x2060..=0x206f);
    let characters = characters.chain([0xe0041, 0xe0101, 0x115f, 0x3164, 0xffa0, 0x1d173]);
    names.extend(characters.map(|number| format!("a{}z", char::from_u32(number).unwrap()).into()));
    names
}

fn leak(shown: &[u8]) -> Option<String> {
    for chunk in shown.utf8_chunks() {
        let is_bad = |character: &char| {
            let is_allowed = matches!(character, '\r' | '\n' | '\t');
            let number = u32::from(*character);
            let is_formatting = matches!(
                number,
                0xad | 0x61c | 0x115f | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e
                    | 0x2060..=0x206f | 0x3164 | 0xfeff | 0xffa0 | 0x1d173 | 0xe0000..=0xe0fff
            );
            (character.is_control() && !is_allowed) || is_formatting
        };
        let found = chunk.valid().chars().find(is_bad);
        if found.is_some() || !chunk.invalid().is_empty() {
            let around = String::from_utf8_lossy(shown);
            return Some(format!("{found:?} {:?} in {around:?}", chunk.invalid()));
        }
    }
    None
}

const LINES: &str = "
    ls | ls -l | ls -C | ls --fields name | ls --json | ls nope* | ls -R . | stat *
    stat -c '%n %N' * | stat -f * | stat --json * | stat nope-* | find -u | find -u --json
    find -u --format '{path} {name}' | find -u --fields name,kind | du -a | du -a --gnu
    du --by-type | du -a --json | du nope-* | expand * | expand --json * | expand --explain *
    beneath --root . * | beneath --root . --json * | beneath --root . --stat *
    beneath --root . ../* | which ./* | which --json ./* | which --explain * | which nope-*
    run ./* | rm -v --dry-run * | rm --json --dry-run * | rm nope-*
";

#[test]
fn control_characters_of_a_name_reach_no_terminal() {
    let scratch = Scratch::new();
    for name in names() {
        let path = scratch.path().join(OsStr::from_bytes(&name));
        if fs::write(path, "").is_err() {
            curt_testkit::skip(&format!("no file can be called {name:?}"));
        }
    }
    let shown = |line: &str| bytes_in_a_terminal(&scratch, &format!("NO_COLOR=1 $CURT {line}"), "");
    assert_eq!(shown("find -u"), shown("ls -A1"));
    for line in cells(LINES) {
        let Some(shown) = bytes_in_a_terminal(&scratch, &format!("NO_COLOR=1 $CURT {line}"), "")
        else {
            return;
        };
        assert!(!shown.is_empty(), "{line}");
        assert_eq!(leak(&shown), None, "{line}");
    }
}

/// Beginnings of invalid command lines. The hostile name is appended to the last word, or replaces
/// `_`.
const WRONG: &str = "
    rm -- | rm - | ls --time= | ls -- | du --exclude-f | du -d | stat --fields= | find --type=
    find --format='{a:}' | find '[' | '' | which --policy= | beneath --root= | expand --style=
    run -- | completions _
";

#[test]
fn control_characters_of_a_command_line_reach_no_terminal() {
    let scratch = Scratch::new();
    for name in names().into_iter().step_by(9) {
        let mut odd = b"'".to_vec();
        odd.extend(&name);
        odd.push(b'\'');
        let odd = OsStr::from_bytes(&odd).to_owned();
        let script = cells(WRONG).into_iter().flat_map(|line| {
            let line = line.trim_end_matches('_').as_bytes();
            [b"\"$CURT\" ", line, odd.as_bytes(), b"\n"].concat()
        });
        let script: Vec<u8> = script.collect();
        fs::write(scratch.at("script"), script).unwrap();
        let Some(shown) = bytes_in_a_terminal(&scratch, "CURT=$CURT sh ./script", "") else {
            return;
        };
        assert!(String::from_utf8_lossy(&shown).contains("Try 'curt"), "{name:?}");
        assert_eq!(leak(&shown), None, "{name:?}");
    }
}
