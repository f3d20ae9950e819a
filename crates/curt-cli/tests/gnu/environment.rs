//! `curt ls` and `curt du` beside GNU's in the C locale: options in an order, and variables of the
//! environment, that change what is shown.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use curt_testkit::{Scratch, cells};

use crate::has_gnu;

/// What a line answers: its exit status, its lines (those of `du` sorted), its messages.
fn answer(
    scratch: &Scratch,
    program: &str,
    tool: &[&str],
    line: &str,
    variables: &str,
) -> (Option<i32>, Vec<String>, String) {
    let mut command = Command::new(program);
    command.args(tool).args(line.split_whitespace()).current_dir(scratch.path());
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("LC_ALL", "C").env("TZ", "UTC");
    let variables = variables.split_whitespace().filter_map(|variable| variable.split_once('='));
    let output = command.envs(variables).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("curt ", "");
    let mut lines: Vec<String> = text(&output.stdout).split('\n').map(str::to_owned).collect();
    if tool.first() == Some(&"du") || program == "du" {
        lines.sort();
    }
    (output.status.code(), lines, text(&output.stderr))
}

/// Compares each line with each set of variables, and fails with all that differs.
fn compare(tool: &str, lines: &[&str], variables: &[&str]) {
    let Some(()) = has_gnu(tool) else { return };
    let scratch = sample();
    let mut wrong = Vec::new();
    for line in lines {
        for variables in variables {
            let gnu = answer(&scratch, tool, &[], line, variables);
            let ours = answer(&scratch, env!("CARGO_BIN_EXE_curt"), &[tool], line, variables);
            if gnu != ours {
                wrong.push(format!("{variables} {tool} {line}\n GNU  {gnu:?}\n curt {ours:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn sample() -> Scratch {
    let scratch = Scratch::new();
    for file in ["d/a", "d/b.txt", "d/c.JPG", "d/e.jpg", "x/a/b/f.o", "x/c/g", "plain", "run"] {
        scratch.file_with(file, &vec![b'x'; 1000 + 300 * file.len()]);
    }
    fs::hard_link(scratch.at("plain"), scratch.at("hard")).unwrap();
    fs::set_permissions(scratch.at("run"), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.link("l", "plain");
    scratch.link("ld", "d");
    scratch.link("broken", "nowhere");
    scratch
}

#[test]
fn followed_operands_have_the_same_marks() {
    let lines = ["-HF l", "-LF l", "-dLF l", "-F l run", "-HF run ld", "-lHF l", "-aF d", "-F ld"];
    compare("ls", &lines, &[""]);
}

#[test]
fn the_last_format_counts() {
    let lines = cells(
        "
        -C -o d | -x -n d | -C -g d | -x --full-time d | -o -C d | -1 -n d | -l -1 d | -1 -C d
        -C --zero d | -x --zero d | --zero -C d | -l --zero d | -l -C -1 d
        --time-style=+%s --full-time d | --full-time --time-style=+%s d | -C -g -1 d
        -n --format=single-column d | -l --sort=none --zero -x d | -t --sort=size -X d | -S -t d
        -t -S d | -x -l --format=across d | --color=always --zero d | -l --format=single-column d
        -g --format=vertical d
    ",
    );
    compare("ls", &lines, &["TERM=xterm"]);
}

#[test]
fn widths_and_tab_stops_are_read_from_the_environment() {
    let lines = [
        "-C",
        "-x -w 18446744073709551616",
        "-C -w 0x10",
        "-C -w 010",
        "-x -w 0",
        "-C -w 30",
        "-l",
    ];
    let variables = cells(
        "
        '' | COLUMNS=0 | COLUMNS=abc | COLUMNS=0x20 | COLUMNS=30 TABSIZE=0 | TABSIZE=4 | TABSIZE=x
        COLUMNS=-1 | COLUMNS=08 | COLUMNS=1k | COLUMNS=0x | TABSIZE=99999999999999999999
    ",
    );
    compare("ls", &lines, &variables);
}

#[test]
fn block_sizes_are_read_from_the_environment() {
    let variables = cells(
        "
        '' | BLOCK_SIZE=1 | BLOCKSIZE=512 | LS_BLOCK_SIZE=K | DU_BLOCK_SIZE=KB | BLOCK_SIZE=si
        BLOCK_SIZE=human-readable | BLOCK_SIZE=MiB | BLOCK_SIZE=xyz | BLOCK_SIZE='1K
        BLOCK_SIZE=0 | BLOCK_SIZE=0x10 | BLOCK_SIZE=2KiB | BLOCK_SIZE=1kB | POSIXLY_CORRECT=1
        POSIXLY_CORRECT=1 BLOCKSIZE=3K | BLOCK_SIZE=
    ",
    );
    compare("ls", &["-l", "-s", "-ls d", "-lhs d", "-sC", "-1s d"], &variables);
    compare("du", &["d x", "-h d", "-k d", "-c x", "-s ."], &variables);
}

#[test]
fn terminals_with_colors_are_those_of_gnu() {
    let variables = cells(
        "
        '' | TERM=dumb | TERM=xterm | TERM=xterm-256color | TERM=linux | TERM=vt220
        TERM=dumb COLORTERM=1 | TERM=dumb LS_COLORS=di=34 | TERM=screen.xterm | TERM=con80x25
        TERM=xterm LS_COLORS= | COLORTERM= | TERM=st
    ",
    );
    compare("ls", &["--color=always -d d", "--color=always -l"], &variables);
}

#[test]
fn colors_follow_ls_colors() {
    let variables = cells(
        r"
        LS_COLORS=*.jpg=35 | LS_COLORS=fi=2:*.jpg=1:*.jpg=7 | LS_COLORS=d | LS_COLORS=dir=1
        LS_COLORS=*.x:di=1 | LS_COLORS=mh=31 | LS_COLORS=no=33 | LS_COLORS=no=33:fi=0
        LS_COLORS=di=0 | LS_COLORS=di=00:fi=32 | LS_COLORS=di= | LS_COLORS=* | LS_COLORS=di
        LS_COLORS=xx=1 | LS_COLORS=di=34: | LS_COLORS=lc=<:rc=>:ec=E | LS_COLORS=rs=1
        LS_COLORS=di=\e[34 | LS_COLORS=*.txt=4:ex=:*.b=1 | LS_COLORS=cl= | LS_COLORS=ex=0:tw=1
        COLUMNS=20 LS_COLORS=di=34:ex=32 | COLUMNS=50 LS_COLORS=no=1
    ",
    );
    let lines =
        ["--color=always -l", "--color=always -l d ld", "--color=always -lF", "--color -d d l"];
    compare("ls", &lines, &variables);
    compare("ls", &["--color=always -C d", "--color -x d x", "--color -1s d"], &variables[..1]);
}

#[test]
fn patterns_of_du_exclude_what_gnu_du_excludes() {
    let lines = cells(
        r"
        --exclude=x x | --exclude=x/a x | --exclude=a/b x | --exclude=./x . | --exclude=x .
        --exclude=*.o -a x | --exclude=x*f.o -a x | --exclude=? x | --exclude=a?b x
        --exclude=[ab] x | --exclude=[!a] x | --exclude=[a- x | --exclude=\a x
        --exclude=[[:alpha:]] x | --exclude=. . | --exclude=missing missing | --exclude=d -c d x
        --exclude=x --exclude=d d x | --exclude=x/ x/ | --exclude=c x/c x | --exclude=* .
        --exclude=ld -D ld d | --exclude=[^x] -a x | --exclude=[]f].o -a x | --exclude=[a-c] -a x
        --exclude=[c-a] -a x | --exclude=[[:digit:]] x | --exclude=[x\]] x | --exclude=\* -a x
        --exclude=f?o -a x | --exclude=f.[[:alpha:]] -a x
    ",
    );
    compare("du", &lines, &[""]);
}

/// With `POSIXLY_CORRECT` the first operand ends the options.
#[test]
fn options_after_operands_follow_posixly_correct() {
    let variables = ["", "POSIXLY_CORRECT=1", "POSIXLY_CORRECT="];
    let lines =
        ["plain -l", "-l plain -a", "-w 20 -C d -1", "-w 20 d -- -1", "d --all", "-- d -a", "-C d"];
    compare("ls", &lines, &variables);
    let lines = ["-w20 plain -l", "-lw 40 plain -a", "--width 40 plain -l", "--wid 40 plain -l"];
    compare("ls", &lines, &variables);
    compare(
        "du",
        &["--exclude -x d -s", "d -a", "--exclude *.txt d -a", "-a d -x", "-d 1 x -a", "-- d -a"],
        &variables,
    );
}
