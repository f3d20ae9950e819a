//! Platform differences stay in the platform layer: conditions on the platform, and `std::fs`.

use super::{File, Finding, places};

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
pub(super) fn cfgs(file: &File) -> Vec<Finding> {
    if places::may_know_platform(&file.path) {
        return Vec::new();
    }
    let source = &file.source;
    let mut found = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        if token.text != "cfg" && token.text != "cfg_attr" {
            continue;
        }
        let open = at + 1 + usize::from(source.text(at + 1) == "!");
        if source.text(open) != "(" {
            continue;
        }
        let condition = &source.tokens[open..source.behind_group(open)];
        if let Some(name) = condition.iter().find(|token| NAMES.contains(&token.text.as_str())) {
            let text = format!(
                "a condition on the platform ('{}') belongs under sys/, os/ or tests/",
                name.text
            );
            found.push(Finding::problem(&file.path, token.line, "platform-cfg", text));
        }
    }
    found
}

/// `std::fs` only outside the product.
pub(super) fn std_fs(file: &File) -> Vec<Finding> {
    if places::may_use_std_fs(&file.path) {
        return Vec::new();
    }
    let uses = file.source.below("std").filter(|(part, _)| *part == "fs");
    uses.map(|(_, at)| {
        let line = file.source.tokens[at].line;
        let text = "std::fs belongs in tests and benchmarks: its calls are not counted";
        Finding::problem(&file.path, line, "std-fs", text)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATION: &str = "crates/curt/src/remove.rs";

    fn cfg_lines(path: &str, text: &str) -> Vec<usize> {
        cfgs(&File::new(path, text)).iter().map(|found| found.line).collect()
    }

    fn fs_lines(path: &str, text: &str) -> Vec<usize> {
        std_fs(&File::new(path, text)).iter().map(|found| found.line).collect()
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
    fn std_fs_is_found_however_it_is_written() {
        let text = "use std::fs;\nuse std::{io,\n fs::File};\nfn f() { std::fs::write() }";
        assert_eq!(fs_lines(OPERATION, text), [1, 3, 4]);
        assert_eq!(fs_lines("crates/curt-cli/src/main.rs", "use std::{fs};"), [1]);
    }

    #[test]
    fn other_fs_and_other_places_are_fine() {
        let text = "use rustix::fs;\nuse std::os::unix::fs::X;\n/// `std::fs`\nfn f() {}";
        assert_eq!(fs_lines(OPERATION, text), [0; 0]);
        assert_eq!(fs_lines("crates/curt/src/remove/tests.rs", "use std::fs;"), [0; 0]);
    }
}
