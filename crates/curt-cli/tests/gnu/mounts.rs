//! Removals of mount points and the root directory, in a mount namespace or a chroot that protects
//! the machine.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use curt_testkit::{Scratch, in_namespace, is_root, may_mount, may_trace, skip};

use crate::harness::{FILTER, Fixture, has_gnu, without_hints};

const PREFIX: &str = "set -e; export LC_ALL=C; mkdir -p d/m d/e b; touch d/f d/e/f b/f; ";
const SUFFIX: &str = "; echo exit $?; find . | sort";

struct Namespace {
    fixture: Fixture,
}

impl Namespace {
    fn new() -> Option<Self> {
        has_gnu("rm")?;
        (may_mount() && may_trace()).then(|| Namespace { fixture: Fixture::new() })
    }

    fn run(&self, rm: &str, script: &str) -> Outcome {
        let dir = self.fixture.dir();
        let script = format!("{PREFIX}{script}{SUFFIX}").replace("$RM", rm);
        let output = in_namespace(&script).current_dir(&dir).output().unwrap();
        self.fixture.clear();
        outcome(&output)
    }

    fn gnu(&self, script: &str) -> Outcome {
        self.run("rm", script)
    }

    /// Runs curt. The result must be the same without `openat2`, and with a filter that refuses it.
    fn curt(&self, script: &str) -> Outcome {
        let curt = self.fixture.curt.display();
        let outcome = self.curt_once(script);
        for rm in [format!("{curt} rm --without openat2"), format!("{FILTER} {curt} rm")] {
            assert_eq!(self.run(&rm, script), outcome, "{rm}: {script}");
        }
        outcome
    }

    fn curt_once(&self, script: &str) -> Outcome {
        self.run(&format!("{} rm", self.fixture.curt.display()), script)
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    out: String,
    messages: String,
}

fn outcome(output: &Output) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let messages = text(&output.stderr).replace("curt rm: ", "rm: ").replace("/rm: ", "rm: ");
    Outcome { out: text(&output.stdout), messages: without_hints(&messages) }
}

#[test]
fn one_file_system_is_as_in_gnu_rm() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    for script in [
        "mount -t tmpfs none d/m; touch d/m/f; set +e; $RM -r --one-file-system d",
        "mount -t tmpfs none d/m; touch d/m/f; set +e; $RM -rf --one-file-system d d/e b",
        "mount -t tmpfs none d; touch d/f; set +e; $RM -r --preserve-root=all d b",
        "mount -t tmpfs none d/e; set +e; $RM -r --preserve-root=all d/e",
        "mount -t tmpfs none d; touch d/f; set +e; $RM -r d",
    ] {
        assert_eq!(namespace.curt(script), namespace.gnu(script), "{script}");
    }
}

/// A nested subvolume is a different device but not a mount, so `find --delete` deletes it. With
/// `--one-file-system`, GNU rm 9.1 removes an empty subvolume, but curt skips it.
#[test]
fn one_file_system_is_one_device_on_btrfs() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if !has("mkfs.btrfs") || !has("btrfs") {
        return skip("mkfs.btrfs is not installed");
    }
    let made = "truncate -s 128M b/image; mkfs.btrfs -q b/image >b/log; mount -o loop b/image d; \
                mkdir -p d/e/g; btrfs subvolume create d/e/sv >b/log; mkdir d/e/sv/h; touch d/e/sv/h/z d/e/y; \
                set +e; ";
    let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    let denied = "rm -r d/e/sv/h; chmod 0 d/e/sv; chown -R 65534 d/e; ";
    for work in [
        "$RM -r --one-file-system d/e".to_owned(),
        "$RM -rf --one-file-system --preserve-root=all d/e/g d/e d/e/sv".to_owned(),
        "$RM -r d/e".to_owned(),
        "yes | $RM -ri --one-file-system d/e/sv/h d/e/g".to_owned(),
        format!("{denied} {nobody} $RM -rf --one-file-system d/e; ls -d d/e/sv"),
        "$FIND d/e | sed 's,/$,,'".to_owned(),
        "$DU -x d/e; $DU -sx d/e/sv".to_owned(),
        "$DELETE; ls -AR d/e".to_owned(),
        "$DELETE -L; ls -AR d/e".to_owned(),
    ] {
        let (script, curt) = (format!("{made}{work}"), namespace.fixture.curt.display());
        let of_gnu = script.replace("$FIND d/e", "find d/e -xdev -mindepth 1");
        let of_curt = script.replace("$FIND", &format!("{curt} find -u --one-file-system ."));
        let of_curt = of_curt.replace("$DU", &format!("{curt} du"));
        let of_curt = of_curt.replace("$DELETE", &format!("{curt} find -u --delete . d/e"));
        let of_gnu = of_gnu.replace("$DELETE", "find d/e -mindepth 1 -delete");
        let of_gnu = of_gnu.replace("-delete -L", "-delete -follow");
        let gnu = namespace.gnu(&of_gnu.replace("$DU", "du"));
        assert_eq!(namespace.curt(&of_curt), gnu, "{work}");
    }
}

#[test]
fn mounts_are_crossed_only_with_cross_mounts() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    let script = "mount -t tmpfs none d/m; touch d/m/f; set +e; $RM -r OPTION d";
    let crossed = namespace.curt(&script.replace("OPTION", "--cross-mounts"));
    assert_eq!(crossed, namespace.gnu(&script.replace("OPTION", "")));

    let refused = namespace.curt(&script.replace("OPTION", ""));
    assert!(refused.out.contains("exit 1") && refused.out.contains("./d/m/f"), "{refused:?}");
    assert!(!refused.out.contains("./d/e"), "{refused:?}");
    let words =
        "rm: cannot remove 'd/m': it is a mount point; --cross-mounts removes its contents\n";
    assert_eq!(refused.messages, words);
}

#[test]
fn a_bind_mount_of_the_same_device_is_a_mount() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    for options in ["-r", "-rf --one-file-system"] {
        let said = namespace.curt(&format!("mount --bind b d/m; set +e; $RM {options} d"));
        assert!(said.out.contains("exit 1") && said.out.contains("./b/f"), "{options}: {said:?}");
        assert!(said.messages.contains("'d/m': it is a mount point"), "{options}: {said:?}");
    }
}

#[test]
fn missing_files_on_a_read_only_filesystem_are_missing() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    for options in ["", "-f", "-r", "-rf", "-d", "-v"] {
        let script = format!("mount -t tmpfs -o ro none d; set +e; $RM {options} d/missing");
        assert_eq!(namespace.curt_once(&script), namespace.gnu(&script), "{options}");
    }
}

/// Runs in a chroot, so that a failure empties only a copy.
#[test]
fn a_bind_mount_of_the_root_directory_is_refused() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    let Some(root) = small_root(&namespace.fixture) else {
        skip("a small root directory needs ldd");
        return;
    };
    let again = root.dir("again");
    let script = "mount --bind \"$0\" \"$1\" && exec chroot \"$0\" /curt rm -rf /again";
    let output = in_namespace(script).args([root.path(), &again]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(outcome(&output).messages.contains("dangerous"), "{output:?}");
    assert!(root.exists("canary/f"));
}

fn small_root(fixture: &Fixture) -> Option<Scratch> {
    let root = Scratch::new();
    let which = Command::new("sh").args(["-c", "command -v rm"]).output().unwrap();
    let rm = String::from_utf8(which.stdout).unwrap();
    for (program, name) in [(Path::new(rm.trim()), "rm"), (fixture.curt.as_path(), "curt")] {
        let output = Command::new("ldd").arg(program).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for library in text.split_whitespace().filter(|word| word.starts_with('/')) {
            let to = root.at(library.trim_start_matches('/'));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(library, to).unwrap();
        }
        let copied = Command::new("cp").arg(program).arg(root.at(name)).status();
        assert!(copied.unwrap().success());
    }
    root.file("canary/f");
    root.link("link", "/");
    Some(root)
}

#[test]
fn the_root_directory_is_refused() {
    if has_gnu("rm").is_none() {
        return;
    }
    let fixture = Fixture::new();
    let Some(root) = is_root().then(|| small_root(&fixture)).flatten() else {
        skip("changing the root directory needs root and ldd");
        return;
    };
    for args in [
        &["-r", "/"][..],
        &["-rf", "/"],
        &["-rf", "//"],
        &["-rf", "////"],
        &["-rv", "--preserve-root", "/"],
        &["-r", "--preserve-root=all", "/"],
        &["-r", "--no-preserve-root", "--preserve-root", "/"],
        &["-rf", "/.", "/.."],
        &["-rf", "/canary/..", "/canary/../"],
    ] {
        let run = |program: &[&str]| {
            let mut command = Command::new("chroot");
            command.arg(root.path()).args(program).args(args).env("LC_ALL", "C");
            let output = command.output().unwrap();
            assert!(root.exists("canary/f"), "{program:?} {args:?}");
            (output.status.code(), outcome(&output))
        };
        assert_eq!(run(&["/curt", "rm"]), run(&["/rm"]), "{args:?}");
    }
    let command = |args: &[&str]| {
        let mut command = Command::new("chroot");
        command.arg(root.path()).args(["/curt", "rm"]).args(args).output().unwrap()
    };
    let output = command(&["-f", "/"]);
    assert!(outcome(&output).messages.starts_with("rm: it is dangerous "), "{output:?}");
    assert!(root.exists("canary/f"));
    let output = command(&["-rf", "/link/"]);
    assert_eq!(outcome(&output).messages, "rm: cannot remove '/link/': Not a directory\n");
    assert!(root.exists("canary/f"));
    let output = command(&["-r", "--dry-run", "--no-preserve-root", "/"]);
    assert!(outcome(&output).out.starts_with("would remove "), "{output:?}");
    assert!(root.exists("canary/f"));
}
