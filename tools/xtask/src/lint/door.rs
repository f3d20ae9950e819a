//! Every call to the system passes the door of its platform, where it is counted and can be made to
//! fail: elsewhere no function of the crates that make such calls is called.

use std::collections::BTreeSet;

use super::code::is_word;
use super::{File, Problem, places};

/// The crates whose functions are calls to the system.
const CRATES: [&str; 3] = ["rustix", "libc", "windows_sys"];

/// Files beside `door.rs` and `call.rs`, and the folders of these names, that call functions of the
/// system, and why they may.
const DOORS: [(&str, &str); 5] = [
    ("sys/unix/start.rs", "what a child that is a copy writes before it ends"),
    (
        "sys/unix/linux/raw.rs",
        "a child that shares memory calls nothing else; it is counted before",
    ),
    ("sys/unix/library.rs", "what a child calls, counted by its parent before"),
    ("sys/windows/native.rs", "finds the functions of ntdll, once"),
    (
        "sys/unix/accounts.rs",
        "the C library's databases of users and groups, which call what they like",
    ),
];

/// Functions that only calculate, or only look at this process's memory.
const PURE: [&str; 10] = [
    "makedev",
    "spare_capacity",
    "sigemptyset",
    "sigaddset",
    "sigfillset",
    "dlsym",
    "_exit",
    "GetEnvironmentVariableW",
    "RtlNtStatusToDosError",
    "RtlGetVersion",
];

/// The beginnings of the names of such functions.
const PURE_KINDS: [&str; 2] = ["posix_spawnattr_", "posix_spawn_file_actions_"];

/// Whether a file is a platform's door.
fn is_door(path: &str) -> bool {
    path.ends_with("/call.rs")
        || path.ends_with("/door.rs")
        || places::is_in(path, "call")
        || places::is_in(path, "door")
        || DOORS.iter().any(|(door, _)| path.ends_with(door))
}

/// Calls to the system that do not pass the door.
pub(super) fn calls(file: &File) -> Vec<Problem> {
    if !file.path.starts_with("crates/curt/src/") || is_door(&file.path) {
        return Vec::new();
    }
    let imported = imported(file);
    let is_call = |open: usize| {
        let path = path_before(file, open)?;
        let (name, above) = path.split_last()?;
        let is_system = CRATES.contains(&path[0]) || imported.contains(path[0]);
        // What belongs to a type only makes or takes apart a value.
        let is_type = |part: &&str| part.starts_with(char::is_uppercase);
        let is_function = path[0] == "windows_sys" || !above.iter().any(is_type);
        let is_pure = PURE.contains(name) || PURE_KINDS.iter().any(|kind| name.starts_with(kind));
        let text = format!("{name} is called past the door: calls belong in call.rs");
        (is_system && is_function && !is_pure && !has_passed(file, open)).then_some(text)
    };
    let code = &file.code;
    let opens = (0..code.tokens.len()).filter(|&at| code.text(at) == "(");
    opens.filter_map(|open| Some((code.line(open), is_call(open)?))).collect()
}

/// Whether the function that this parenthesis lies in has passed the door before.
fn has_passed(file: &File, open: usize) -> bool {
    let before = file.code.tokens[..open].iter().rev();
    let mut before = before.take_while(|token| token.text != "fn");
    before.any(|token| token.text == "pass")
}

/// The path that is called at this parenthesis, unless it is a method, a macro or a definition.
fn path_before(file: &File, open: usize) -> Option<Vec<&str>> {
    let code = &file.code;
    let mut at = open.checked_sub(1)?;
    let mut path = Vec::new();
    loop {
        if !is_word(code.text(at)) {
            return None;
        }
        path.push(code.text(at));
        let Some(before) = at.checked_sub(1) else { break };
        match code.text(before) {
            "::" if before > 0 && is_word(code.text(before - 1)) => at = before - 1,
            "." | "fn" => return None,
            _ => break,
        }
    }
    path.reverse();
    Some(path)
}

/// The names that `use` takes from the crates: functions, modules and types.
fn imported(file: &File) -> BTreeSet<&str> {
    let code = &file.code;
    let is_use = |&at: &usize| code.text(at) == "use" && CRATES.contains(&code.text(at + 1));
    let uses = (0..code.tokens.len()).filter(is_use);
    let parts = uses.flat_map(|at| (at + 2..).take_while(|&at| !matches!(code.text(at), ";" | "")));
    // The last part of each path: what no other part follows.
    let is_last = |&at: &usize| is_word(code.text(at)) && !matches!(code.text(at + 1), "::" | "as");
    let names = parts.filter(is_last).map(|at| code.text(at));
    names.filter(|name| *name != "self").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        calls(&File::new(path, text)).iter().map(|(line, _)| *line).collect()
    }

    const OPERATION: &str = "crates/curt/src/walk/frame.rs";
    const QUERY: &str = "crates/curt/src/sys/unix/linux/statx.rs";

    #[test]
    fn calls_past_the_door_are_found() {
        assert_eq!(lines(OPERATION, "fn f() {\n rustix::fs::openat(a, b) }"), [2]);
        assert_eq!(lines(QUERY, "use rustix::fs::{CWD, statx};\nfn f() { statx(CWD) }"), [2]);
        assert_eq!(lines(QUERY, "use rustix::fs;\nfn f() {\n fs::statx(a)\n}"), [3]);
        let unix = "crates/curt/src/sys/unix/mod.rs";
        assert_eq!(lines(unix, "fn f() {\n// SAFETY: a\nunsafe { libc::close(3) } }"), [3]);
        let windows = "use windows_sys::Wdk::A::NtClose;\nfn f() { NtClose(h) }";
        assert_eq!(lines("crates/curt/src/sys/windows/dir.rs", windows), [2]);
        let passed = "fn f() { self.pass(X)?; libc::read() }\nfn g() { libc::write() }";
        assert_eq!(lines(unix, passed), [2]);
    }

    #[test]
    fn values_and_doors_are_fine() {
        let text = "use rustix::io::Errno;\nfn f() { Errno::from_raw_os_error(2); a.statx(b); \
            libc::makedev(1, 2); let a = libc::O_RDONLY; rustix::fs::Mode::from_bits(3) }";
        assert_eq!(lines(QUERY, text), [0; 0]);
        let call = "fn f() { rustix::fs::openat(a) }";
        for path in [
            "unix/door.rs",
            "unix/door/linux.rs",
            "windows/call.rs",
            "windows/call/process.rs",
            "unix/linux/raw.rs",
            "unix/tests.rs",
        ] {
            assert_eq!(lines(&format!("crates/curt/src/sys/{path}"), call), [0; 0], "{path}");
        }
        assert_eq!(lines("tools/testkit/src/scratch.rs", call), [0; 0]);
        let tests = format!("#[cfg(test)]\nmod tests {{ {call} }}");
        assert_eq!(lines(QUERY, &tests), [0; 0]);
    }
}
