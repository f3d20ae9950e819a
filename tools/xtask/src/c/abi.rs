//! Compares libcurt's ABI with `bindings/c/abi.txt`: exported functions and their symbol version,
//! values of constants, and offsets of fields, on x86-64 Linux and Windows. Compiled programs depend
//! on these, so lines may only be added.
//!
//! A generated program prints the layouts. With `-D_WIN32` it prints those of Windows, because no
//! type in the header differs in size. `c-test --full` also runs the program under Wine.

use super::{declarations, folder, outcome};
use crate::host::{self, Failure, Outcome};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOP: &str = "\
The binary interface of libcurt, by `cargo xtask c-abi --update`. Lines are only added.

Functions, in libcurt.so with the version CURT_0.1
";

/// Set by `tools/dist/link-libcurt.sh`.
const VERSION: &str = "CURT_0.1";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Failure::missing("the list is that of Linux on x86-64"));
    }
    let shared = super::build()?.join("libcurt.so");
    let mut text = TOP.to_owned();
    for function in exported(&shared)? {
        let _ = writeln!(text, "  {function}");
    }
    let source = program(&host::target().join("c-test"))?;
    text += "\nLinux x86-64: constants, bytes of structs, offsets of fields\n";
    text += &printed(&source, &[])?;
    text += "\nWindows x86-64: bytes of structs, offsets of fields\n";
    text += &printed(&source, &["-D_WIN32"])?;
    outcome("c-abi", "abi.txt", arguments, &text)
}

fn exported(shared: &Path) -> Result<Vec<String>, Failure> {
    let path = shared.to_string_lossy();
    let symbols =
        host::output_of("nm", &["--dynamic", "--defined-only", "--format=just-symbols", &path])
            .ok_or_else(|| Failure::new(format!("nm cannot read {path}")))?;
    let plain = |symbol: &str| match symbol.split_once("@@") {
        Some((name, VERSION)) => name.to_owned(),
        _ => format!("{symbol} (not @@{VERSION})"),
    };
    // GNU ld also exports the version itself.
    let mut exported: Vec<String> =
        symbols.lines().filter(|name| *name != VERSION).map(plain).collect();
    let mut declared = declarations::functions(&super::header()?);
    exported.sort();
    declared.sort();
    let only = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|name| !other.contains(name)).cloned().collect()
    };
    let (undeclared, missing) = (only(&exported, &declared), only(&declared, &exported));
    if undeclared.is_empty() && missing.is_empty() {
        return Ok(exported);
    }
    let lists = [undeclared.join(" "), missing.join(" ")];
    Err(Failure::new(format!(
        "exported, but not declared: {}; not exported: {}",
        lists[0], lists[1]
    )))
}

pub(super) fn program(folder: &Path) -> Result<PathBuf, Failure> {
    let header = super::header()?;
    let mut body = String::new();
    let (mut constants, mut structs) =
        (declarations::constants(&header), declarations::structs(&header));
    constants.sort();
    structs.sort_by(|one, other| one.name.cmp(&other.name));
    for name in constants {
        let _ = writeln!(body, "  printf(\"  {name} %lld\\n\", (long long)({name}));");
    }
    body += "#endif\n";
    for each in structs {
        let name = &each.name;
        let _ = writeln!(body, "  printf(\"  {name} %u\\n\", (unsigned)sizeof({name}));");
        for field in &each.fields {
            let field = &field.name;
            let offset = format!("(unsigned)offsetof({name}, {field})");
            let _ = writeln!(body, "  printf(\"    {field} %u\\n\", {offset});");
        }
    }
    let program = format!(
        "#include <stdio.h>\n#include <curt.h>\nint main(void) {{\n#ifndef _WIN32\n{body}  \
         return 0;\n}}\n"
    );
    let path = folder.join("layout.c");
    fs::create_dir_all(folder)?;
    fs::write(&path, program)?;
    Ok(path)
}

fn printed(source: &Path, definitions: &[&str]) -> Result<String, Failure> {
    let program = source.with_extension("");
    let mut compile = Command::new("cc");
    compile.arg("-I").arg(folder().join("include")).args(definitions).arg(source);
    host::check(compile.arg("-o").arg(&program))?;
    let path = program.to_string_lossy();
    host::output_of(&path, &[]).ok_or_else(|| Failure::new(format!("{path} fails")))
}
