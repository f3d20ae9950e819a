//! `curt ls --git` runs no program that a listed repository names, and asks each repository about
//! its own files.

use std::process::{Command, Output};

use curt_testkit::{Scratch, skip};

/// A place for a repository: its working tree, its directory of git, what makes it, and what `ls`
/// is asked to list, several calls after semicolons.
const PLACES: &[[&str; 4]] = &[
    ["t", "t/.git", "git init -q t", "t; t/sub; -R .; --tree t; -d t/sub/f"],
    ["t", "t/own", "mkdir t; git init -q --separate-git-dir t/own t", "t; t/sub"],
    ["o/n", "o/n/.git", "git init -q o; git init -q o/n", "-R o; --tree o; -l --tree o; o/n"],
    ["t", "m/.git", "git init -q m; commit m; git -C m worktree add -q ../t", "t; -R ."],
    [
        "o/sm",
        "o/.git/modules/sm",
        "git init -q s; commit s; git init -q o
        git -C o -c protocol.file.allow=always submodule --quiet add ../s sm; commit o",
        "o; -d o/sm; -R o; --tree o; o/sm; --json -R o",
    ],
    ["o", "o/b", "git init -q o; GIT_DIR=o/b GIT_WORK_TREE=o git init -q", "o/b; o/b/refs"],
];

/// Ways to have git run `$RUN`.
const WAYS: &[&str] = &[
    "filter x clean >>$GIT/config; attribute x >$TREE/.gitattributes",
    "filter x process >>$GIT/config; set_ filter.x.required true
        attribute x >$GIT/info/attributes",
    "filter a=b clean >>$GIT/config; attribute a=b >$TREE/.gitattributes",
    "filter Ä.ö clean >>$GIT/config; set_ core.attributesFile $PWD/all; attribute Ä.ö >all",
    "filter '' clean >>$GIT/config; attribute '' >$TREE/.gitattributes",
    "filter x clean >$GIT/more; set_ include.path more; attribute x >$TREE/.gitattributes",
    "filter x clean >$GIT/more; set_ includeIf.onbranch:**.path more
        attribute x >$TREE/.gitattributes",
    "set_ core.fsmonitor \"$RUN\"",
    "mkdir -p $GIT/hooks; (echo '#!/bin/sh'; echo $RUN) >$GIT/hooks/post-index-change
        chmod +x $GIT/hooks/post-index-change",
    "fetched; set_ remote.o.url ssh://h/x; set_ core.sshCommand \"$RUN\"",
    "fetched; set_ remote.o.url $PWD; set_ remote.o.uploadpack \"$RUN\"",
    "fetched; set_ remote.o.url \"ext::$RUN\"; set_ protocol.ext.allow always",
];

const FUNCTIONS: &str = r#"
set -e
set_() { git config -f $GIT/config "$@"; }
filter() { printf '[filter "%s"]\n%s = %s\n' "$1" "$2" "$RUN"; }
attribute() { echo "* filter=$1"; }
commit() {
    mkdir -p $1/sub; echo 1 >$1/sub/f; git -C $1 add sub
    git -C $1 -c user.name=x -c user.email=x@y commit -qm x
}
fetched() {
    tree=$(git -C $TREE rev-parse HEAD^{tree})
    set_ core.repositoryFormatVersion 1; set_ extensions.partialClone o; set_ remote.o.promisor true
    rm -f $GIT/objects/$(echo $tree | sed 's,^..,&/,')
}
"#;

/// Runs a script, or git, without the user's own configuration.
fn run(scratch: &Scratch, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(scratch.path()).env("GIT_CEILING_DIRECTORIES", scratch.path());
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    command.env("HOME", scratch.at("home")).env("LC_ALL", "C").output().unwrap()
}

/// A repository in a place, where git would run a program in a way.
fn build(scratch: &Scratch, [tree, git, made, _]: [&str; 4], way: &str) {
    let ran = scratch.at("ran").display().to_string();
    let script = format!(
        "{FUNCTIONS} TREE={tree}; GIT={git}; {made}
        case $GIT in */b) export GIT_DIR=$PWD/$GIT GIT_WORK_TREE=$PWD/$TREE;; esac
        [ -e $TREE/sub ] || commit $TREE
        case $GIT in */b) git config core.worktree ..; git config core.bare false;; esac
        mkdir -p $GIT/info; touch -d @1 $TREE/sub/f
        RUN='touch {ran}'; {way}"
    );
    let output = run(scratch, "sh", &["-c", &script]);
    assert!(output.status.success(), "{way}: {output:?}");
}

#[test]
fn nothing_that_a_listed_repository_names_is_run() {
    if !has_git() {
        return;
    }
    let some = [WAYS[0], WAYS[7], WAYS[8]].join("; ");
    let all = WAYS.iter().map(|way| (PLACES[0], *way, "t"));
    let places = PLACES.iter().map(|place| (*place, &*some, place[3]));
    for (place, way, calls) in all.chain(places) {
        let scratch = Scratch::new();
        build(&scratch, place, way);
        for arguments in calls.split("; ") {
            let mut command = vec!["ls", "--git"];
            command.extend(arguments.split(' '));
            let output = run(&scratch, env!("CARGO_BIN_EXE_curt"), &command);
            assert!(!scratch.exists("ran"), "{arguments} in {place:?}: {way}");
            assert!(output.status.success(), "{arguments} in {place:?}: {output:?}");
        }
        // git itself runs it, so the test can fail.
        let inside = if place[1] == "o/b" { place[1] } else { place[0] };
        let output = run(&scratch, "git", &["-C", inside, "status", "--short"]);
        assert!(scratch.exists("ran"), "{place:?}: {way}: {output:?}");
    }
}

/// A program that is called git may be in what is listed.
#[test]
fn relative_directories_of_the_path_are_not_searched() {
    if !has_git() {
        return;
    }
    let scratch = Scratch::new();
    let script = "git init -q; touch f; printf '#!/bin/sh\\ntouch ran\\n' >git; chmod +x git
        PATH=.:$PATH $CURT ls --git -1 f; PATH=. $CURT ls --git f 2>&1; ls ran";
    let script = script.replace("$CURT", env!("CARGO_BIN_EXE_curt"));
    let output = run(&scratch, "sh", &["-c", &script]);
    let said = String::from_utf8_lossy(&output.stdout);
    let words = "-N  f\ncurt ls: --git needs git: ";
    assert!(said.starts_with(words) && !scratch.exists("ran"), "{output:?}");
}

/// The state of an entry is that of `git status` in the repository that it belongs to.
#[test]
fn each_repository_is_asked_about_its_own_files() {
    if !has_git() {
        return;
    }
    let scratch = Scratch::new();
    let script = format!(
        "{FUNCTIONS} git init -q s; commit s; git init -q o; commit o
        for sub in sm libs/sm libs/clean; do
            git -C o -c protocol.file.allow=always submodule --quiet add ../s $sub
        done
        echo /ignored >o/.gitignore; git -C o add .gitignore; commit o
        echo 2 >o/sm/sub/f; touch o/sm/new; touch o/libs/sm/new
        git init -q o/alone; commit o/alone; touch o/alone/new
        git init -q o/ignored; commit o/ignored; echo 2 >o/ignored/sub/f
        git -C o worktree add -q linked 2>/dev/null; touch o/linked/new
        mkdir -p o/sub/.git; touch o/sub/new"
    );
    let output = run(&scratch, "sh", &["-c", &script]);
    assert!(output.status.success(), "{output:?}");
    let list = |arguments: &[&str]| {
        let arguments = [&["ls", "--git"], arguments].concat();
        let output = run(&scratch, env!("CARGO_BIN_EXE_curt"), &arguments);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = "\
-M  o
-N  |-- alone
-N  |   |-- new
--  |   `-- sub
--  |       `-- f
-I  |-- ignored
-M  |   `-- sub
-M  |       `-- f
-M  |-- libs
--  |   |-- clean
--  |   |   `-- sub
--  |   |       `-- f
-M  |   `-- sm
-N  |       |-- new
--  |       `-- sub
--  |           `-- f
-N  |-- linked
--  |   |-- libs
--  |   |   |-- clean
--  |   |   `-- sm
-N  |   |-- new
--  |   |-- sm
--  |   `-- sub
--  |       `-- f
-M  |-- sm
-N  |   |-- new
-M  |   `-- sub
-M  |       `-- f
-N  `-- sub
--      |-- f
-N      `-- new
";
    assert_eq!(list(&["--tree", "o"]), expected);
    assert_eq!(
        list(&["-d1", "o/sm", "o/alone", "o/sm/new"]),
        "-N  o/alone\n-M  o/sm\n-N  o/sm/new\n"
    );
    let json = list(&["-R", "--json", "--fields=name", "o"]);
    let long = list(&["-1R", "o"]);
    for (state, path) in
        [("-M", "o/sm/sub/f"), ("-N", "o/alone/new"), ("--", "o/alone/sub/f"), ("-M", "o/libs/sm")]
    {
        let (dir, name) = path.rsplit_once('/').unwrap();
        assert!(json.contains(&format!("\"path\":\"{path}\",\"git\":\"{state}\"")), "{json}");
        let listed = long.split_once(&format!("{dir}:\n")).unwrap().1;
        assert!(listed.lines().any(|line| line == format!("{state}  {name}")), "{path}: {long}");
    }
}

fn has_git() -> bool {
    let has = Command::new("git").arg("--version").output().is_ok();
    if !has {
        skip("git is not installed");
    }
    has
}
