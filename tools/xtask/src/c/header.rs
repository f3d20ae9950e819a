//! Generates `bindings/c/include/curt.h` with cbindgen, and adds `top.h`, `bottom.h`, `volatile`,
//! and a `CURT_…_INIT` for each struct that begins with its size.

use super::{declarations, folder, outcome};
use crate::host::{Failure, Outcome};
use cbindgen::{Builder, Config, DocumentationStyle, FunctionConfig, Language, Style};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let current = generate(&folder().join("src/lib.rs"))?;
    outcome("c-header", "include/curt.h", arguments, &current)
}

fn generate(root: &Path) -> Result<String, Failure> {
    let config = Config {
        language: Language::C,
        style: Style::Type,
        cpp_compat: true,
        no_includes: true,
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::Doxy,
        defines: HashMap::from(
            [("windows", "_WIN32"), ("unix", UNIX)].map(|(a, b)| (a.to_owned(), b.to_owned())),
        ),
        function: FunctionConfig { prefix: Some("CURT_API".to_owned()), ..Default::default() },
        ..Default::default()
    };
    let bindings = Builder::new().with_config(config).with_src(root).generate();
    let bindings = bindings.map_err(|error| Failure::new(format!("cbindgen: {error}")))?;
    let mut body = Vec::new();
    bindings.write(&mut body);
    let mut body = String::from_utf8_lossy(&body).into_owned();
    body = body.replace(&format!("defined({UNIX})"), "!defined(_WIN32)");
    // Rust has no `volatile` type; the library reads it atomically.
    body = body.replace("const int *cancel", "const volatile int *cancel");
    let body = tidy(&body);
    let structs = declarations::structs(&body);
    let mut initialisers = String::new();
    for each in structs.iter().filter(|each| each.begins_with_size()) {
        let (name, value) = (each.name.to_uppercase(), each.initialiser(&structs));
        let _ = writeln!(initialisers, "#define {name}_INIT \\\n  {value}");
    }
    let (top, bottom) = (include_str!("top.h"), include_str!("bottom.h"));
    Ok(format!("{top}{body}\n/* Structs with their sizes, and zeros. */\n{initialisers}\n{bottom}"))
}

/// cbindgen cannot negate conditions.
const UNIX: &str = "CURT_UNIX";

fn tidy(body: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in body.lines() {
        match (&mut lines[..], line.trim_start()) {
            ([.., start, only], "*/") if start.trim_start() == "/**" => {
                *start = format!("{}{} */", start, &only.trim_start()[1..]);
                lines.pop();
            }
            (_, define) if define.starts_with("#define ") => {
                lines.push(match define.rsplit_once(' ') {
                    Some((name, number)) if number.starts_with('-') => format!("{name} ({number})"),
                    _ => line.to_owned(),
                });
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_comments_take_one_line() {
        let body = "/**\n * One.\n */\n#define CURT_A -1\n  /**\n   * Two\n   * lines.\n   */\n";
        let tidied = "/** One. */\n#define CURT_A (-1)\n  /**\n   * Two\n   * lines.\n   */\n";
        assert_eq!(tidy(body), tidied);
    }
}
