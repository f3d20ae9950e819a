//! `curt realpath` and `curt readlink` beside the GNU tools: the same bytes, the same messages
//! after the name of the program, the same exit codes.

use std::process::{Command, Stdio};

use curt_testkit::{Scratch, cells};

use crate::has_gnu;

/// Directories, files and links of all kinds; `new` and `gone` are missing.
fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("dir/sub/file");
    scratch.file("dir/a b'c");
    for (link, target) in [
        ("link", "dir/sub"),
        ("dir/up", ".."),
        ("broken", "new"),
        ("dir/deep", "sub/gone/x"),
        ("loop", "loop"),
        ("one", "two"),
        ("two", "one"),
        ("tofile", "dir/sub/file"),
        ("root", "/"),
        ("absolute", "/dev/../etc/"),
    ] {
        scratch.link(link, target);
    }
    for number in 0..60 {
        // More links than the kernel follows.
        scratch.link(format!("chain{number}"), format!("./chain{}", number + 1));
    }
    scratch.file("chain60");
    scratch
}

/// Both tools, with these words.
fn compare(scratch: &Scratch, tool: &str, words: &[&str]) {
    let say = |mut command: Command| {
        command.args(words).current_dir(scratch.typed()).env("LC_ALL", "C").stdin(Stdio::null());
        let output = command.output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr).replace("curt ", "");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), messages)
    };
    let mut ours = Command::new(env!("CARGO_BIN_EXE_curt"));
    ours.arg(tool);
    assert_eq!(say(ours), say(Command::new(tool)), "{tool} {words:?}");
}

const PATHS: &str = "
    '' | . | .. | / | // | /// | /.. | //dev | dir | dir/ | ./dir//sub/. | link | link/ | link/..
    link/../file | link/./file | link/file/ | link/file/.. | link/file/x | dir/up/dir/up/dir | new
    new/ | new/. | new/.. | new/x | new/x/.. | new/../dir | broken | broken/ | broken/x | dir/deep
    loop | loop/x | loop/.. | one | tofile/.. | root/etc/.. | absolute | chain0 | dir/a b'c/new
";

#[test]
fn realpath_answers_as_gnu_does() {
    let Some(()) = has_gnu("realpath") else { return };
    let scratch = tree();
    for path in cells(PATHS) {
        for options in [
            &[][..],
            &["-e"],
            &["-m"],
            &["-s"],
            &["-sm"],
            &["-se"],
            &["-L"],
            &["-Le"],
            &["-Lm"],
            &["-q"],
            &["-z"],
            &["-em"],
            &["-me"],
            &["-sP"],
            &["-PL"],
            &["--canonicalize-m"],
            &["--no-sym"],
            &["--relative-to=dir/sub"],
            &["--relative-base=dir"],
            &["-m", "--relative-to=new/x", "--relative-base=."],
            &["--relative-to=/etc", "--relative-base=."],
            &["-e", "--relative-to=tofile"],
            &["--relative-base=new/x"],
        ] {
            compare(&scratch, "realpath", &[options, &["--", path]].concat());
        }
    }
    compare(&scratch, "realpath", &cells(PATHS));
}

#[test]
fn readlink_answers_as_gnu_does() {
    let Some(()) = has_gnu("readlink") else { return };
    let scratch = tree();
    for path in cells(PATHS) {
        for options in [
            &[][..],
            &["-v"],
            &["-vq"],
            &["-n"],
            &["-z"],
            &["-f"],
            &["-e"],
            &["-m"],
            &["-vf"],
            &["-ve"],
            &["-vm"],
            &["-fe"],
            &["-nz", "-m"],
            &["--sil", "-v"],
        ] {
            compare(&scratch, "readlink", &[options, &["--", path]].concat());
        }
    }
    compare(&scratch, "readlink", &["-nf", "dir", "link"]);
    compare(&scratch, "readlink", &cells(PATHS));
}

/// A directory that was removed has no name.
#[test]
fn a_removed_working_directory_is_an_error() {
    let Some(()) = has_gnu("realpath") else { return };
    let scratch = tree();
    scratch.dir("removed");
    let curt = env!("CARGO_BIN_EXE_curt");
    for options in ["", "-m", "-e", "-s"] {
        let said = |tool: &str| {
            let script = format!("mkdir -p gone && cd gone && rmdir ../gone && {tool} {options} .");
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &script]).current_dir(scratch.typed()).env("LC_ALL", "C");
            let output = shell.output().unwrap();
            let messages = String::from_utf8_lossy(&output.stderr).replace("curt ", "");
            (output.status.code(), messages)
        };
        assert_eq!(said(&format!("{curt} realpath")), said("realpath"), "{options}");
    }
}
