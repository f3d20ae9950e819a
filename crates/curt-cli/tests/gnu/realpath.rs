//! Compares `curt realpath` and `curt readlink` with the GNU tools.

use std::ffi::OsString;
use std::process::Command;

use curt_testkit::{Choices, Scratch, cells};

use crate::harness::{Fixture, Pair, Trial, by_tool, has_gnu, property};
use crate::tree::{Oddities, Tree, users};

const OF_REALPATH: &str = "
    -e | -m | -s | -L | -P | -q | -z | --no-sym | --canonicalize-m | --relative-to=a
    --relative-base=. | --relative-to=/etc | --relative-base=a/b | --relative-to=l1/..
    --relative-base=missing | --relative-to=e.rs
";
const OF_READLINK: &str = "-v | -q | -n | -z | -f | -e | -m | -vf | -ve | --sil";

fn random(choices: &mut Choices, options: &str) -> Trial {
    let tree = Tree::random(choices, Oddities { forbidden: true, names: false });
    let trial = Trial::random(choices, tree, &cells(options), 0);
    let mut path = || {
        let names =
            ["a", "b", "c", "d", "l1", "l1", "l2", "l2", "l3", "..", "..", ".", "", "e.rs", "new"];
        let path: Vec<&str> = (0..=choices.below(5)).map(|_| choices.one_of(&names)).collect();
        OsString::from(path.join("/"))
    };
    let operands = vec![path(), path(), path(), path()];
    Trial { user: *choices.pick(users()), operands, ..trial }
}

#[test]
fn random_paths_have_the_names_of_gnu() {
    let fixture = Fixture::new();
    let dir = fixture.dir();
    for (tool, options) in [("realpath", OF_REALPATH), ("readlink", OF_READLINK)] {
        let Some(pair) = Pair::new(tool, &dir) else { return };
        let random = |choices: &mut Choices| random(choices, options);
        property(tool, random, |trial| {
            trial.tree.make(&fixture.scratch, trial.user);
            let variables = &[("LC_ALL", "C.UTF-8")];
            let pair = Pair { curt: &fixture.curt, user: trial.user, variables, ..pair.clone() };
            let difference = pair.difference(&trial.words(0));
            fixture.clear();
            difference
        });
    }
}

const PATHS: &str = "
    . .. / // /// /.. //dev dir dir/ ./dir//sub/. link link/ link/.. link/../file link/./file
    link/file/ link/file/.. link/file/x dir/up/dir/up/dir new new/ new/. new/.. new/x new/x/..
    new/../dir broken broken/ broken/x dir/deep loop loop/x loop/.. one tofile/.. root/etc/..
    absolute chain0
";

#[test]
fn names_are_those_of_gnu() {
    let scratch = Scratch::new();
    scratch.tree("", "dir/sub/file link->dir/sub dir/up->.. broken->new dir/deep->sub/gone/x");
    scratch.tree("", "loop->loop one->two two->one tofile->dir/sub/file root->/ chain60");
    scratch.link("absolute", "/dev/../etc/");
    scratch.file("dir/a b'c");
    for number in 0..60 {
        // The chain is longer than the kernel follows.
        scratch.link(format!("chain{number}"), format!("./chain{}", number + 1));
    }
    let Some(realpath) = Pair::new("realpath", scratch.typed()) else { return };
    let options = cells(
        "
        '' | -e | -m | -s | -sm | -se | -L | -Le | -Lm | -q | -z | -em | -me | -sP | -PL
        --relative-to=dir/sub | --relative-base=dir | -m --relative-to=new/x --relative-base=.
        --relative-to=/etc --relative-base=. | -e --relative-to=tofile | --relative-base=new/x
        ",
    );
    realpath.compare_with(&options, &[PATHS]);
    let Some(readlink) = Pair::new("readlink", scratch.typed()) else { return };
    let options =
        "'' | -v | -vq | -n | -z | -f | -e | -m | -vf | -ve | -vm | -fe | -nz -m | --sil -v";
    readlink.compare_with(&cells(options), &[PATHS, "link", "broken", "new", "dir link"]);
    for pair in [realpath, readlink] {
        for words in
            [&["", "dir/a b'c/new"][..], &["-m", "dir/a b'c/new"], &[""], &["-f", "", "dir/a b'c"]]
        {
            assert_eq!(pair.difference(words), None);
        }
    }
}

#[test]
fn a_removed_working_directory_is_an_error() {
    let Some(()) = has_gnu("realpath") else { return };
    let scratch = Scratch::new();
    for options in ["", "-m", "-e", "-s"] {
        let text = |tool: &str| {
            let script = format!("mkdir -p gone && cd gone && rmdir ../gone && {tool} {options} .");
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &script]).current_dir(scratch.typed()).env("LC_ALL", "C");
            let output = shell.output().unwrap();
            (output.status.code(), by_tool("realpath", &output.stderr))
        };
        let curt = env!("CARGO_BIN_EXE_curt");
        assert_eq!(text(&format!("{curt} realpath")), text("realpath"), "{options}");
    }
}

/// Scenes in which a directory's path resolves to a decoy of the same name.
#[cfg(target_os = "linux")]
const SCENES: [(&str, &str); 3] = [
    (
        "unmounted",
        "mount -t tmpfs none d; mkdir -p d$PWD/x/y x/y; echo decoy > x/y/decoy; chmod +x x/y/decoy; R=$PWD
         cd d$PWD/x; umount -l $R/d; ways='. y new y/../y ..'",
    ),
    (
        "covered",
        "mkdir -p d/x/y; cd d/x; mount -t tmpfs none ../../d; mkdir -p $PWD/y
         echo decoy > $PWD/y/decoy; chmod +x $PWD/y/decoy; ways='. y new y/../y $PWD'",
    ),
    (
        "another namespace",
        "mkdir d/x; echo decoy > d/x/decoy; mkfifo ready end
         unshare -m sh -c 'mount -t tmpfs none d; mkdir d/x d/y; echo > ready; read x < end' &
         P=/proc/$!/root$PWD; read x < ready; trap 'echo > end' EXIT; ways=\"$P/d $P/d/x $P/d/y\"",
    ),
];

#[cfg(target_os = "linux")]
fn scene(scene: &str, script: &str) -> String {
    let scratch = Scratch::new();
    scratch.dir("d");
    let mut command = curt_testkit::in_namespace(&format!("{scene}\n{{ {script}\n}} 2>&1"));
    command.current_dir(scratch.path()).env("LC_ALL", "C");
    let output = command.env("CURT", env!("CARGO_BIN_EXE_curt")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).replace("curt ", "");
    text.replace(&*scratch.path().to_string_lossy(), "")
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_hidden_directories_are_those_of_gnu() {
    let (Some(()), true) = (has_gnu("realpath"), curt_testkit::may_mount()) else { return };
    for (name, setup) in SCENES {
        let script = |curt: &str| {
            format!(
                "for tool in realpath 'realpath -e' 'realpath -m' 'realpath -s' 'readlink -f'; do
                     for way in $ways; do echo $tool; {curt} $tool $way; echo $?; done
                 done 2>&1 | sed s:/proc/[0-9]*:/proc/PID:"
            )
        };
        let ours = scene(setup, &script("$CURT"));
        assert_eq!(ours, scene(setup, &script("")), "{name}");
        assert!(ours.lines().count() > 30, "{name}: {ours}");
    }
}

/// Names must not become hyperlinks if the path would resolve to something else.
#[cfg(target_os = "linux")]
#[test]
fn hyperlinks_are_those_of_gnu() {
    let (Some(()), true) = (has_gnu("ls"), curt_testkit::may_mount()) else { return };
    for (name, setup) in SCENES {
        let listed = |tool: &str| {
            let ls = format!("{tool} -d --hyperlink=always 2>/dev/null");
            let text = scene(setup, &format!("{ls} .; {ls} $ways; cd y && {ls} . y"));
            text.replace(|letter: char| letter.is_ascii_digit(), "")
        };
        assert_eq!(listed("$CURT ls"), listed("ls"), "{name}");
    }
}

/// Commands must not use their starting point's absolute path if it resolves to something else.
#[cfg(target_os = "linux")]
#[test]
fn paths_to_decoys_are_not_used() {
    if !curt_testkit::may_mount() {
        return;
    }
    for (name, setup) in SCENES {
        let here = if name == "another namespace" { "$P/d" } else { "." };
        let of_names = ["stat -c %m", "find -u -a decoy", "find -u -a --exec-batch rm -r {} ; ."];
        // These use parents of the working directory's former path.
        let of_directories = ["find decoy", "which --path y --all decoy ./y/decoy"];
        let has_directory = name != "another namespace";
        for command in of_names.iter().chain(of_directories.iter().filter(|_| has_directory)) {
            let here = if command.starts_with("which") { "y/decoy" } else { here };
            let command = command.replace(';', "\\;");
            let text = scene(setup, &format!("$CURT {command} {here}; echo $?"));
            assert!(text.ends_with("\n1\n"), "{name}: {command}: {text}");
            let found = text.lines().any(|line| line.starts_with('/') || line == "decoy");
            assert!(!found, "{name}: {command}: {text}");
        }
    }
}
