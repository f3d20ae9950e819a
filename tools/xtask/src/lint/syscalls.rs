//! Checks that every system call goes through the syscall layer, which counts calls and can inject
//! failures.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Problem;
use super::code::{Code, is_word};

const CRATES: [&str; 3] = ["rustix", "libc", WINDOWS];

const WINDOWS: &str = "windows_sys";

const EXCEPTIONS: [(&str, &str); 2] = [
    ("sys/windows/native.rs", "finds the functions of ntdll, once"),
    (
        "sys/unix/accounts.rs",
        "the C library's databases of users and groups, which call what they like",
    ),
];

/// Functions that only compute, or read this process's memory.
const PURE: [&str; 4] = ["makedev", "spare_capacity", "RtlNtStatusToDosError", "RtlGetVersion"];

fn is_syscall_layer(path: &str) -> bool {
    ["/syscalls.rs", "/syscalls/"].iter().any(|part| path.contains(part))
        || EXCEPTIONS.iter().any(|(file, _)| path.ends_with(file))
}

pub(super) fn calls(path: &str, code: &Code<'_>) -> Vec<Problem> {
    if !path.starts_with("crates/curt/src/") {
        return Vec::new();
    }
    let imports = Imports::of(code);
    let stars = imports.places.iter().cloned().flatten().filter(|&at| code.is(at, "*"));
    let text = "name what is imported: a glob hides calls that bypass the syscall layer";
    let mut problems: Vec<Problem> = stars.map(|at| (code.line(at), text.to_owned())).collect();
    if !is_syscall_layer(path) {
        problems.extend(code.all().filter_map(|at| bypass(code, &imports, at)));
    }
    problems
}

fn bypass(code: &Code<'_>, imports: &Imports<'_>, at: usize) -> Option<Problem> {
    if imports.places.iter().any(|place| place.contains(&at)) {
        return None;
    }
    let path = path_at(code, at)?;
    let (name, above) = path.split_last()?;
    let is_system = CRATES.contains(&path[0]) && !above.is_empty();
    let is_of_windows = match imports.names.get(path[0]) {
        Some(source) => *source == WINDOWS,
        None if is_system => path[0] == WINDOWS,
        None => return None,
    };
    // Associated functions only construct or convert values.
    let is_of_type = |part: &&str| part.starts_with(char::is_uppercase);
    let is_function = if is_of_windows {
        name.contains(char::is_lowercase)
    } else {
        !is_of_type(name) && !above.iter().any(is_of_type)
    };
    let is_value = name.starts_with("c_")
        || name.ends_with("_t")
        || name.starts_with("File") && name.contains("Information");
    let is_pure = PURE.contains(name);
    let text = format!("{name} bypasses the syscall layer: calls belong in syscalls.rs");
    let is_wrong = is_function && !is_value && !is_pure && !has_passed(code, at);
    is_wrong.then(|| (code.line(at), text))
}

fn has_passed(code: &Code<'_>, at: usize) -> bool {
    let mut before = (0..at).rev().take_while(|&before| !code.is(before, "fn"));
    before.any(|at| ["self", "syscalls"].iter().any(|&x| code.starts(at, &[x, ".", "pass", "("])))
}

/// Returns the path that begins at a token. Excludes parts of paths, methods, fields and
/// definitions.
fn path_at<'t>(code: &Code<'t>, at: usize) -> Option<Vec<&'t str>> {
    let (before, above) = (code.before(at, 1), code.before(at, 2));
    let is_rest = before == "::" && (is_word(above) || above == ">");
    if !is_word(code.text(at)) || is_rest || matches!(before, "." | "fn") {
        return None;
    }
    let mut path = vec![code.text(at)];
    let mut next = at + 1;
    while code.is(next, "::") && is_word(code.text(next + 1)) {
        path.push(code.text(next + 1));
        next += 2;
    }
    Some(path)
}

struct Imports<'t> {
    places: Vec<Range<usize>>,
    names: BTreeMap<&'t str, &'t str>,
}

impl<'t> Imports<'t> {
    fn of(code: &Code<'t>) -> Self {
        let mut imports = Self { places: Vec::new(), names: BTreeMap::new() };
        for start in code.all().filter(|&at| code.is(at, "use") && !code.is(at + 1, "<")) {
            let end = (start..code.all().end).find(|&at| code.is(at, ";"));
            let place = start..end.unwrap_or(code.all().end);
            let source = code.text(start + 1 + usize::from(code.is(start + 1, "::")));
            if !CRATES.contains(&source) {
                continue;
            }
            let is_last =
                |&at: &usize| is_word(code.text(at)) && !matches!(code.text(at + 1), "::" | "as");
            let last = place.clone().filter(is_last).map(|at| code.text(at));
            let names = last.filter(|name| !matches!(*name, "self" | "use" | "as" | "_"));
            imports.names.extend(names.map(|name| (name, source)));
            imports.places.push(place);
        }
        imports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        calls(path, &Code::new(text)).iter().map(|(line, _)| *line).collect()
    }

    const OPERATION: &str = "crates/curt/src/walk/frame.rs";
    const QUERY: &str = "crates/curt/src/sys/unix/linux/statx.rs";

    #[test]
    fn bypassing_calls_are_found() {
        assert_eq!(lines(OPERATION, "fn f() {\n rustix::fs::openat(a, b) }"), [2]);
        assert_eq!(lines(QUERY, "use rustix::fs::{CWD, statx};\nfn f() { statx(CWD) }"), [2]);
        assert_eq!(lines(QUERY, "use rustix::fs;\nfn f() {\n fs::statx(a)\n}"), [3]);
        let unix = "crates/curt/src/sys/unix/mod.rs";
        assert_eq!(lines(unix, "fn f() {\n// SAFETY: a\nunsafe { libc::close(3) } }"), [3]);
        let windows = "use windows_sys::Wdk::A::NtClose;\nfn f() { NtClose(h) }";
        assert_eq!(lines("crates/curt/src/sys/windows/dir.rs", windows), [2]);
        let passed = "fn f() { self.pass(X)?; libc::read() }\nfn g() { libc::write() }";
        assert_eq!(lines(unix, passed), [2]);
        assert_eq!(lines(unix, "fn f() { self.syscalls.pass(X)?; libc::read() }"), [0; 0]);
    }

    #[test]
    fn functions_that_are_handed_on_are_found() {
        for text in [
            "fn f() { let f = rustix::process::getppid; }",
            "fn f() { a.map(libc::isatty) }",
            "use libc::isatty;\nfn f() { a.map(isatty) }",
            "use libc as c;\nfn f() { c::isatty(a) }",
            "use ::libc::isatty as is_terminal;\nfn f() { is_terminal(a) }",
            "fn f() { ::rustix::fs::openat(a) }",
            "fn f() { rustix::param::get::<u8>() }",
            "const F: unsafe extern \"C\" fn(i32) -> i32 = libc::isatty;",
            "use windows_sys::Wdk::A::NtClose;\nconst F: Close = NtClose;",
            "fn f() { windows_sys::Wdk::A::NtClose }",
        ] {
            assert_eq!(lines(QUERY, text).len(), 1, "{text}");
        }
    }

    #[test]
    fn only_the_syscall_layer_itself_is_passed() {
        for text in [
            "fn f(pass: bool) { libc::read() }",
            "fn f() { let pass = 3; libc::read() }",
            "fn f() { other.pass(X)?; libc::read() }",
            "fn f() { libc::read(); self.pass(X)?; }",
        ] {
            assert_eq!(lines(QUERY, text), [1], "{text}");
        }
    }

    #[test]
    fn imports_of_everything_are_refused() {
        assert_eq!(lines(QUERY, "use rustix::process::*;\nuse super::*;"), [1]);
        assert_eq!(lines(QUERY, "use rustix::{\nfs::*,\nio};"), [2]);
        assert_eq!(lines("crates/curt/src/sys/unix/syscalls.rs", "use libc::*;"), [1]);
        let capture = "use libc::O_RDONLY;\nfn f() -> impl Fn() + use<'a> { a * b }";
        assert_eq!(lines(QUERY, capture), [0; 0]);
    }

    #[test]
    fn values_and_the_syscall_layer_are_fine() {
        let text = "use rustix::io::Errno;\nfn f() { Errno::from_raw_os_error(2); a.statx(b); \
            libc::makedev(1, 2); let a = libc::O_RDONLY; rustix::fs::Mode::from_bits(3) }";
        assert_eq!(lines(QUERY, text), [0; 0]);
        let types = "use windows_sys::Win32::Foundation::HANDLE;\nuse rustix::fs;\n\
            fn f(a: *const libc::sigset_t, b: libc::c_int, c: HANDLE) -> fs::Stat {\
            a.fs.b(windows_sys::Wdk::FileStatInformation) }";
        assert_eq!(lines(QUERY, types), [0; 0]);
        let call = "fn f() { rustix::fs::openat(a) }";
        for path in ["unix/syscalls.rs", "windows/syscalls/process.rs"] {
            assert_eq!(lines(&format!("crates/curt/src/sys/{path}"), call), [0; 0], "{path}");
        }
        assert_eq!(lines("tools/testkit/src/scratch.rs", call), [0; 0]);
        let tests = format!("#[cfg(test)]\nmod tests {{ {call} }}");
        assert_eq!(lines(QUERY, &tests), [0; 0]);
    }
}
