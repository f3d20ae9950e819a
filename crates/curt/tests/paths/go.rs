//! Compares with Go's `filepath.Clean`: the POSIX version, and the Windows version from its source.

use std::path::Path;
use std::process::Command;

use curt_testkit::{Scratch, skip};

use crate::query_with;

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

fn go(files: &[(&str, String)], questions: &[String]) -> Option<Vec<Vec<u8>>> {
    let folder = Scratch::new();
    let mut command = Command::new("go");
    command.arg("run").env("GOFLAGS", "-mod=mod").env("GOTOOLCHAIN", "local");
    for (name, content) in files {
        folder.file_with(name, content.as_bytes());
        command.arg(folder.typed().join(name));
    }
    query_with(command, "go", questions)
}

#[test]
fn posix_paths_equal_clean() {
    crate::compare_posix(5, |questions| go(&[("main.go", PROGRAM.to_owned())], questions));
}

/// Returns Go's `Clean` for Windows, without a system call that it does not reach.
fn windows_source() -> Option<[(&'static str, String); 2]> {
    let root = Command::new("go").args(["env", "GOROOT"]).output().ok()?;
    let root = String::from_utf8(root.stdout).unwrap();
    let part = |name: &str| {
        let path = Path::new(root.trim()).join("src/internal/filepathlite").join(name);
        let text = std::fs::read_to_string(path).ok()?;
        let changes = [
            ("package filepathlite", "package main"),
            ("\t\"internal/bytealg\"\n", ""),
            ("\t\"internal/syscall/windows\"\n\t\"syscall\"\n", ""),
            ("\"internal/stringslite\"", "\"strings\""),
            ("stringslite.", "strings."),
            ("bytealg.IndexByteString", "strings.IndexByte"),
            ("syscall.UTF16PtrFromString(name)", "&name, error(nil)"),
            ("windows.RtlIsDosDeviceName_U(p) > 0", "p == nil"),
        ];
        Some(changes.iter().fold(text, |text, (from, to)| text.replace(from, to)))
    };
    Some([("path.go", part("path.go")?), ("of.go", part("path_windows.go")?)])
}

#[test]
fn relative_windows_paths_equal_clean() {
    let Some(parts) = windows_source() else {
        return skip("go is not installed, or its source has moved");
    };
    let main = PROGRAM.replace("\t\"path\"\n", "").replace("path.Clean(text)", "Clean(text)");
    let join = "\t\tif !path.IsAbs(text) {\n\t\t\ttext = path.Join(\"/w/o/r/k\", text)\n\t\t}\n";
    let [path, windows] = parts;
    let files = [("main.go", main.replace(join, "")), path, windows];
    // Undo two differences. Go does not clear its buffer when it drops a name, and prepends `.\` if
    // the bytes left there contain a colon. And it drops every trailing separator, even after a
    // name that ends in dots.
    let seen = |answer: Vec<u8>| {
        let answer = answer.strip_suffix(br"\").unwrap_or(&answer);
        match answer.strip_prefix(br".\") {
            Some(rest) if !rest.split(|&byte| byte == b'\\').next().unwrap().contains(&b':') => {
                rest.to_vec()
            }
            _ => answer.to_vec(),
        }
    };
    crate::compare_folded(|questions| go(&files, questions), seen);
}
