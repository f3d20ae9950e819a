//! Platform differences, and what is `unsafe`, stay in the platform layer.

use super::words::has_word;
use super::{File, Problem, places};

/// The names in a condition that make it one on the platform.
const NAMES: &[&str] = &[
    "unix",
    "windows",
    "target_os",
    "target_family",
    "target_arch",
    "target_env",
    "target_vendor",
];

/// `cfg`, `cfg!` and `cfg_attr` on the platform only where the platform may be known.
pub(super) fn cfgs(file: &File) -> Vec<Problem> {
    if places::may_know_platform(&file.path) {
        return Vec::new();
    }
    let code = &file.code;
    let mut found = Vec::new();
    for (at, token) in code.tokens.iter().enumerate() {
        let open = at + 1 + usize::from(code.text(at + 1) == "!");
        if !matches!(&*token.text, "cfg" | "cfg_attr") || code.text(open) != "(" {
            continue;
        }
        let condition = &code.tokens[open..code.behind_group(open)];
        if let Some(name) = condition.iter().find(|token| NAMES.contains(&&*token.text)) {
            let text = "a condition on the platform belongs under sys/, os/ or tests/";
            found.push((token.line, format!("{text} ('{}')", name.text)));
        }
    }
    found
}

/// rustc denies `unsafe`: that is lifted in the platforms and the bindings only.
pub(super) fn unsafety(file: &File) -> Vec<Problem> {
    if !places::has_ending(&file.path, "rs") || places::may_be_unsafe(&file.path) {
        return Vec::new();
    }
    file.lines(|line| {
        let is_lifted = has_word(line, concat!("unsafe", "_code")) && !line.contains("forbid(");
        is_lifted.then(|| "unsafe belongs under the sys/ of a crate and in the bindings".into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATION: &str = "crates/curt/src/remove.rs";

    fn cfg_lines(path: &str, text: &str) -> Vec<usize> {
        cfgs(&File::new(path, text)).iter().map(|(line, _)| *line).collect()
    }

    #[test]
    fn conditions_on_the_platform_are_found() {
        let text = "#[cfg(unix)]\n#[cfg(all(test, not(target_os = \"linux\")))]\n\
                    if cfg!(windows) {}\n#[cfg_attr(target_family = \"wasm\", path = \"x\")]";
        assert_eq!(cfg_lines(OPERATION, text), [1, 2, 3, 4]);
        for name in ["target_arch", "target_env", "target_vendor"] {
            assert_eq!(cfg_lines(OPERATION, &format!("#[cfg({name} = \"x\")]")), [1], "{name}");
        }
    }

    #[test]
    fn other_conditions_and_other_places_are_fine() {
        let text = "#[cfg(test)]\n#[cfg(feature = \"windows\")]\n// cfg(unix)\nlet unix = 1;";
        assert_eq!(cfg_lines(OPERATION, text), [0; 0]);
        for path in ["crates/curt/src/sys/mod.rs", "crates/curt/src/remove/tests.rs"] {
            assert_eq!(cfg_lines(path, "#[cfg(unix)]"), [0; 0]);
        }
    }

    #[test]
    fn unsafe_is_allowed_in_the_platforms_only() {
        let lines = |path, attribute: &str| {
            let text = format!("#![{attribute}(unsafe{}, reason = \"x\")]", "_code");
            unsafety(&File::new(path, &text)).len()
        };
        assert_eq!(lines(OPERATION, "allow"), 1);
        assert_eq!(lines(OPERATION, "expect"), 1);
        assert_eq!(lines(OPERATION, "forbid"), 0);
        assert_eq!(lines("crates/curt/src/sys/mod.rs", "allow"), 0);
    }
}
