//! Generates `bindings/c/include/curt.h` with cbindgen, whose output has all constants, then all
//! types, then all functions. The header instead has one section per source file, with its
//! documentation and order, and parts that Rust cannot express: `top.h`, `text.h`, `volatile`, and
//! a `CURT_…_INIT` after each struct that begins with its size.

use super::declarations::{self, Struct};
use super::{folder, outcome};
use crate::host::{Failure, Outcome};
use cbindgen::{Builder, Config, DocumentationStyle, FunctionConfig, Language, Style};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// In the order of readers' needs. A type must precede its uses.
const SECTIONS: [&str; 15] = [
    "text",
    "error",
    "control",
    "remove",
    "copy",
    "tree",
    "metadata",
    "dir",
    "usage",
    "search",
    "root",
    "canonical",
    "lookup",
    "expand",
    "results",
];

const BOTTOM: &str = "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* CURT_H */\n";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let current = generate(&folder().join("src"))?;
    outcome("c-header", "include/curt.h", arguments, &current)
}

fn generate(sources: &Path) -> Result<String, Failure> {
    let config = Config {
        language: Language::C,
        style: Style::Type,
        no_includes: true,
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::Doxy,
        defines: HashMap::from(
            [("windows", "_WIN32"), ("unix", UNIX)].map(|(a, b)| (a.to_owned(), b.to_owned())),
        ),
        function: FunctionConfig { prefix: Some("CURT_API".to_owned()), ..Default::default() },
        ..Default::default()
    };
    let bindings = Builder::new().with_config(config).with_src(sources.join("lib.rs")).generate();
    let bindings = bindings.map_err(|error| Failure::new(format!("cbindgen: {error}")))?;
    let mut body = Vec::new();
    bindings.write(&mut body);
    let mut body = String::from_utf8_lossy(&body).into_owned();
    body = body.replace(&format!("defined({UNIX})"), "!defined(_WIN32)");
    // Rust has no `volatile` type. The library reads the number atomically.
    body = body.replace("const int *cancel", "const volatile int *cancel");
    let body = tidy(&body);
    let structs = declarations::structs(&body);
    let mut declarations: Vec<&str> = body.trim().split("\n\n").collect();
    let mut header = include_str!("top.h").to_owned();
    for section in SECTIONS {
        let source = fs::read_to_string(sources.join(section).with_extension("rs"))?;
        header += &self::section(&source, &mut declarations, &structs);
        header += if section == "text" { include_str!("text.h") } else { "" };
    }
    match declarations.first() {
        None => Ok(header + BOTTOM),
        Some(left) => Err(Failure::new(format!("in none of the header's sections:\n{left}"))),
    }
}

fn section(source: &str, declarations: &mut Vec<&str>, structs: &[Struct]) -> String {
    let mut lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let title = lines.next().unwrap_or_default().trim_end_matches('.');
    let mut text = format!("\n/* ----{title} ----\n");
    text.extend(lines.flat_map(|line| [" *", line, "\n"]));
    text += " */\n";
    let mut last = "";
    for name in source.lines().filter_map(exported) {
        // A type can have one declaration per system.
        while let Some(at) = declarations.iter().position(|one| declares(one, name)) {
            // Put no empty line between constants with the same prefix.
            let prefix = name.match_indices('_').nth(1).map_or(name, |(at, _)| &name[..at]);
            text += if name.starts_with("CURT_") && prefix == last { "" } else { "\n" };
            last = prefix;
            text += declarations.remove(at);
            text.push('\n');
        }
        if let Some(each) = structs.iter().find(|each| each.name == name && each.begins_with_size())
        {
            let (macro_name, value) = (name.to_uppercase(), each.initializer(structs));
            let _ = writeln!(text, "#define {macro_name}_INIT \\\n  {value}");
        }
    }
    text
}

/// Returns the name of the C item whose definition begins on this line of Rust, if any.
fn exported(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("pub ")?.split(|letter: char| !is_of_name(letter));
    words.find(|word| word.starts_with("curt_") || word.starts_with("CURT_"))
}

fn declares(declaration: &str, name: &str) -> bool {
    declaration.match_indices(name).any(|(at, _)| {
        let (before, after) = (&declaration[..at], &declaration[at + name.len()..]);
        let is_constant = before.ends_with("#define ") && after.starts_with(' ');
        is_constant || !before.ends_with(is_of_name) && after.starts_with([';', '('])
    })
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Stands for `!defined(_WIN32)`, because cbindgen cannot negate conditions.
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

    #[test]
    fn a_section_has_the_order_of_its_source() {
        let source = "//! Two.\n//!\n//!     a();\n\npub const CURT_A_B: u32 = 1;\n\
            pub const CURT_A_C: u32 = 2;\npub struct curt_s {\n    pub size: usize,\n}\n\
            pub unsafe extern \"C\" fn curt_f(s: curt_s) {}\npub(crate) fn curt_g() {}\n";
        let header = "typedef struct {\n  size_t size;\n} curt_s;\n";
        let [a_b, a_c] = ["#define CURT_A_B 1", "#define CURT_A_C 2"];
        let mut declarations = vec![header.trim(), "CURT_API void curt_f(curt_s s);", a_c, a_b];
        let text = section(source, &mut declarations, &declarations::structs(header));
        assert_eq!(
            text,
            format!(
                "\n/* ---- Two ----\n *\n *     a();\n */\n\n{a_b}\n{a_c}\n\n{header}\
                 #define CURT_S_INIT \\\n  {{ sizeof(curt_s) }}\n\n\
                 CURT_API void curt_f(curt_s s);\n"
            )
        );
        assert!(declarations.is_empty());
    }
}
