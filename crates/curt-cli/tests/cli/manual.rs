//! Runs the examples of the cookbook and of the pages in `tests/manual`.
//!
//! A block `files` lists what to create, one entry per line: `PATH` and optionally a size, a date,
//! a mode (`0755`), `-> TARGET`, or the content as a JSON string. `PATH/` is a directory.
//!
//! In a block `console`, `$ ` begins a shell command line. Its output on both streams follows in
//! the order of writing, with `[1]` for an exit status other than 0. The page's directory appears
//! as `/work`. A block `console jq` needs jq.
//!
//! In a block `refused`, every command line exits with 2, prints nothing on standard output, and
//! prints one line and the hint about `--help`, unless the line contains a different hint.
//!
//! In a block `mounted`, each command line has a new mount namespace with a new filesystem at `m`.
//!
//! `CURT_UPDATE_SNAPSHOTS=1 cargo test -p curt-cli --test cli manual` rewrites the output.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use curt_testkit::{Scratch, at_once};

/// Pages without shells, without GNU tools, and without names that are invalid on Windows.
const EVERYWHERE: [&str; 2] = ["find.md", "refusals.md"];

#[test]
fn pages_show_what_is_printed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manual");
    let pages = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let fits = |page: &Path| EVERYWHERE.iter().any(|name| page.ends_with(name));
    let cookbook = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cookbook.md");
    let pages = pages.chain([cookbook]);
    let pages: Vec<_> = pages.filter(|page| cfg!(target_os = "linux") || fits(page)).collect();
    assert!(pages.len() >= EVERYWHERE.len());
    #[cfg(target_os = "linux")]
    let may_mount = curt_testkit::may_mount();
    #[cfg(not(target_os = "linux"))]
    let may_mount = false;
    at_once(pages, |page| check(&page, may_mount));
}

fn check(page: &Path, may_mount: bool) {
    let written = fs::read_to_string(page).unwrap();
    let scratch = Scratch::new();
    scratch.tree("", "work/ home/");
    let mut found = String::new();
    let (mut block, mut is_output) = ("", false);
    let has_jq = Path::new("/usr/bin/jq").exists();
    if written.contains("```console jq") && !has_jq {
        curt_testkit::skip("jq is not installed");
    }
    for line in written.lines() {
        if let Some(kind) = line.strip_prefix("```") {
            block = kind;
            is_output = false;
        }
        let command = line.strip_prefix("$ ");
        match (block, command) {
            ("files", _) if !line.starts_with("```") => make(&scratch, line),
            ("mounted", _) if !may_mount => {}
            ("console jq", _) if !has_jq => {}
            ("console" | "console jq" | "refused" | "mounted", None) if is_output => continue,
            _ => {}
        }
        is_output |= command.is_some();
        found += line;
        found.push('\n');
        match (block, command) {
            ("console", Some(command)) => found += &run(&scratch, command),
            ("console jq", Some(command)) if has_jq => found += &run(&scratch, command),
            ("mounted", Some(command)) if may_mount => found += &run_mounted(&scratch, command),
            ("refused", Some(command)) => found += &refusal(&scratch, command),
            _ => {}
        }
    }
    // Not compared: the size of freed directories depends on the filesystem.
    let freed = regex::Regex::new(r"freeing [^,\n]* bytes|freeing [^,\n]*\)").unwrap();
    // Windows prints backslashes, doubled in JSON.
    let plain = |text: &str| {
        let text = freed.replace_all(text, "freeing …").into_owned();
        if cfg!(windows) { text.replace("\\\\", "\\").replace('\\', "/") } else { text }
    };
    if plain(&found) == plain(&written) {
        return;
    }
    if std::env::var_os("CURT_UPDATE_SNAPSHOTS").is_some() {
        return fs::write(page, found).unwrap();
    }
    let (written, found) = (plain(&written), plain(&found));
    let mut lines = written.lines().chain([""]).zip(found.lines().chain([""])).enumerate();
    let (number, (is, was)) = lines.find(|(_, (is, was))| is != was).unwrap_or_default();
    let number = number + 1;
    panic!("{}:{number}: the page has\n{is}\nand this is\n{was}\n\n{found}", page.display());
}

fn make(scratch: &Scratch, line: &str) {
    let (name, mut rest) = line.split_once(' ').unwrap_or((line, ""));
    let path = Path::new("work").join(name);
    if name.ends_with('/') {
        return drop(scratch.dir(path));
    }
    #[cfg(unix)]
    if let Some(target) = rest.trim().strip_prefix("-> ") {
        return drop(scratch.link(path, target));
    }
    let mut content = Vec::new();
    if let Some((before, text)) = rest.split_once('"') {
        content = serde_json::from_str::<String>(&format!("\"{text}")).unwrap().into_bytes();
        rest = before;
    }
    let (mut time, mut mode) = (None, None);
    for word in rest.split_whitespace() {
        match word.as_bytes() {
            [b'0', _, ..] => mode = Some(u32::from_str_radix(word, 8).unwrap()),
            [.., b'-', _, _] => time = Some(format!("{word}T00:00:00Z")),
            _ => content = vec![b'x'; word.parse().unwrap()],
        }
    }
    let path = scratch.file_with(path, &content);
    if let Some(time) = time {
        let time = SystemTime::from(time.parse::<jiff::Timestamp>().unwrap());
        File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    }
    #[cfg(unix)]
    if let Some(mode) = mode {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    #[cfg(not(unix))]
    assert_eq!(mode, None, "{line}");
}

fn refusal(scratch: &Scratch, line: &str) -> String {
    let output = run(scratch, line);
    let program = output.split(": ").next().unwrap_or_default();
    let message = output.strip_suffix("\n[2]\n").unwrap_or_else(|| panic!("{line}: {output}"));
    let help = format!("\nTry '{program} --help' for more information.");
    let has_hint = message.contains("did you mean") || message.contains("; use ");
    assert!(!has_hint || !message.contains(&help), "{line}: {output}");
    let message = message.strip_suffix(&help).unwrap_or(message);
    assert!(program.starts_with("curt") && !message.contains("Usage:"), "{line}: {output}");
    let silent = if cfg!(unix) { run(scratch, &format!("{line} 2>&-")) } else { "[2]\n".into() };
    assert_eq!(silent, "[2]\n", "{line}");
    message.to_owned() + "\n"
}

fn run_mounted(scratch: &Scratch, line: &str) -> String {
    let mount = "mkdir -p m; mount -t tmpfs -o size=1m none m && mkdir m/d && echo kept >m/d/f";
    fs::write(scratch.at("script"), format!("{mount}\n{line}\n")).unwrap();
    run(scratch, "unshare -m sh ../script")
}

fn run(scratch: &Scratch, line: &str) -> String {
    let curt = Path::new(env!("CARGO_BIN_EXE_curt"));
    // Removing a file also restarts the watchdog's minute, which a page can exceed under Wine.
    if scratch.exists("output") {
        scratch.remove("output");
    }
    let file = File::create(scratch.at("output")).unwrap();
    let mut command;
    if cfg!(unix) {
        command = Command::new("/bin/sh");
        let path = format!("{}:/usr/bin:/bin", curt.parent().unwrap().display());
        command.args(["-c", &format!("umask 022; {line}")]).env_clear().env("PATH", path);
    } else {
        let words = line.split('\'').enumerate().flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let mut words = words.skip_while(|word| *word == "curt");
        command = Command::new(curt);
        command.args(words.by_ref());
        for variable in ["COLORTERM", "LS_COLORS", "TERM"] {
            command.env_remove(variable);
        }
    }
    command.envs([("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("GIT_CONFIG_GLOBAL", "/dev/null")]);
    command.env("HOME", scratch.at("home")).current_dir(scratch.typed().join("work"));
    command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
    let status = command.status().unwrap();
    let output = fs::read(scratch.at("output")).unwrap();
    let output = String::from_utf8_lossy(&output);
    let mut output = output.replace(scratch.typed().to_str().unwrap(), "");
    if cfg!(windows) {
        output = output.replace(&crate::missing(), "No such file or directory");
        output = output.replace(&crate::text_of(145), "Directory not empty");
    }
    if !output.is_empty() && !output.ends_with('\n') {
        output.push('\n');
    }
    match status.code().unwrap() {
        0 => output,
        code => format!("{output}[{code}]\n"),
    }
}
