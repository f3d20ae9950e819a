//! The README shows what the example `readme` runs.

use std::fs;
use std::path::Path;

#[test]
fn the_readme_shows_the_example() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(package.join("../../README.md")).expect("the README");
    let example = fs::read_to_string(package.join("examples/readme.rs")).expect("the example");
    let shown = between(&example, "// README: begin\n", "    // README: end");
    let shown: Vec<&str> =
        shown.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let in_readme = between(&readme, "```rust\n", "```");
    assert_eq!(in_readme.trim_end(), shown.join("\n").trim_end());
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).expect(from);
    rest.split_once(to).expect(to).0
}
