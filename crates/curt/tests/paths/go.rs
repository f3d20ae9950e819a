//! Go's `filepath.Clean`, on POSIX systems.

use std::process::Command;

use curt::paths::{DotDot, Env, Expander, Flavor};
use curt_testkit::Scratch;

use crate::{Maker, POSIX, ask_command, compare, count};

const PROGRAM: &str = r#"package main

import (
	"bufio"
	"io"
	"os"
	"path"
	"strings"
)

func main() {
	text, _ := io.ReadAll(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	texts := strings.Split(string(text), "\x00")
	for _, text := range texts[:len(texts)-1] {
		if !path.IsAbs(text) {
			text = path.Join("/w/o/r/k", text)
		}
		out.WriteString(path.Clean(text) + "\x00")
	}
}
"#;

/// For Go two leading slashes are one.
#[test]
fn posix_paths_equal_clean() {
    let mut maker = Maker::new(5);
    let questions: Vec<String> = (0..count()).map(|_| maker.path(&POSIX, 9)).collect();
    let folder = Scratch::new();
    let source = folder.typed().join("main.go");
    std::fs::write(&source, PROGRAM).unwrap();
    let mut command = Command::new("go");
    command.arg("run").arg(&source).env("GOFLAGS", "-mod=mod").env("GOTOOLCHAIN", "local");
    let Some(answers) = ask_command(command, "go", &questions) else { return };
    let env = Env::none().cwd("/w/o/r/k");
    let expander = Expander::new(env).flavor(Flavor::Posix).dot_dot(DotDot::Clamp);
    compare(&questions, answers, |text| {
        let full = expander.expand(text.as_bytes()).unwrap().into_owned();
        if full.starts_with(b"//") { full[1..].to_vec() } else { full }
    });
}
