//! Confines platform conditions and `unsafe` to the platform layer.

use super::{Problem, code::Code, is_in};

const NAMES: [&str; 7] =
    ["unix", "windows", "target_os", "target_family", "target_arch", "target_env", "target_vendor"];

const OUTSIDE: [&str; 3] = ["bindings/", "fuzz/", "tools/"];

const UNSAFE: [&str; 5] = [
    "bindings/",
    "crates/curt-cli/src/sys/",
    "crates/curt/src/sys/",
    "tools/bench/rivals/",
    "tools/testkit/src/sys/",
];

pub(super) fn conditions(path: &str, code: &Code<'_>) -> Vec<Problem> {
    let is_outside = OUTSIDE.iter().any(|folder| path.starts_with(folder));
    let may_know = ["sys", "os", "examples"].iter().any(|folder| is_in(path, folder));
    if is_outside || may_know || path.ends_with("/build.rs") {
        return Vec::new();
    }
    let conditions = code.all().filter(|&at| matches!(code.text(at), "cfg" | "cfg_attr"));
    let names = conditions.filter_map(|at| {
        let open = at + 1 + usize::from(code.is(at + 1, "!"));
        let mut condition = open..if code.is(open, "(") { code.behind_group(open) } else { open };
        let name = condition.find(|&part| NAMES.contains(&code.text(part)))?;
        let text = "a condition on the platform belongs under sys/, os/ or tests/";
        Some((code.line(at), format!("{text} ('{}')", code.text(name))))
    });
    names.collect()
}

/// Checks that only platform layers and bindings allow `unsafe`, which rustc denies elsewhere.
pub(super) fn unsafety(path: &str, code: &Code<'_>) -> Vec<Problem> {
    if UNSAFE.iter().any(|folder| path.starts_with(folder)) {
        return Vec::new();
    }
    let text = "unsafe belongs under the sys/ of a crate and in the bindings";
    let is_lifted = |at: &usize| code.is(*at, "unsafe_code") && code.before(*at, 2) != "forbid";
    code.all().filter(is_lifted).map(|at| (code.line(at), text.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATION: &str = "crates/curt/src/remove.rs";

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let code = Code::new(text);
        let found = [conditions(path, &code), unsafety(path, &code)].concat();
        found.into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn conditions_on_the_platform_are_found() {
        let text = "#[cfg(unix)]\n#[cfg(all(test, not(target_os = \"linux\")))]\n\
                    if cfg!(windows) {}\n#[cfg_attr(target_family = \"wasm\", path = \"x\")]";
        assert_eq!(lines(OPERATION, text), [1, 2, 3, 4]);
        let other = "#[cfg(test)]\n#[cfg(feature = \"windows\")]\n// cfg(unix)\nlet unix = 1;";
        assert_eq!(lines(OPERATION, other), [0; 0]);
        assert_eq!(lines("crates/curt/src/sys/mod.rs", "#[cfg(unix)]"), [0; 0]);
    }

    #[test]
    fn unsafe_is_allowed_in_the_platforms_only() {
        for (path, word, count) in [
            (OPERATION, "allow", 1),
            (OPERATION, "expect", 1),
            (OPERATION, "forbid", 0),
            ("crates/curt/src/sys/mod.rs", "allow", 0),
            ("crates/curt-cli/src/main.rs", "allow", 1),
        ] {
            let text = format!("#![{word}(unsafe{}, reason = \"x\")]", "_code");
            assert_eq!(lines(path, &text).len(), count, "{path} {word}");
        }
    }
}
