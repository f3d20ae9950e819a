//! The user, the groups and the umask of a program.

use super::{printed, shell};
use crate::Command;
use crate::error::{Cause, StartFailure};
use crate::os::unix::CommandExtras;

/// Whether this process may become another user; skips the test if not.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        curt_testkit::skip("only root can become another user");
    }
    is_root
}

/// The identity of the program, as it sees it itself.
const IDENTITY: &str = "id -u; id -g; id -G";

#[test]
fn a_program_runs_as_another_user_without_the_groups_of_root() {
    if !is_root() {
        return;
    }
    shell(IDENTITY, |way, mut command| {
        command.uid(65_532).gid(65_531);
        assert_eq!(printed(&command), "65532\n65531\n65531\n", "{way}");
        command.groups(&[65_529, 65_530]);
        assert_eq!(printed(&command), "65532\n65531\n65531 65529 65530\n", "{way}");
    });
}

#[test]
fn a_change_of_rights_never_shares_memory_with_the_child() {
    if !is_root() {
        return;
    }
    shell("exit 3", |way, mut command| {
        let mut child = command.uid(65_532).spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(3), "{way}");
        let calls = child.calls();
        assert_eq!((calls.of("fork"), calls.of("clone3")), (1, 0), "{way}");
        assert_eq!((calls.of("setuid"), calls.of("setgroups")), (1, 1), "{way}");
    });
}

#[test]
fn a_directory_is_entered_as_the_new_user() {
    if !is_root() {
        return;
    }
    let scratch = curt_testkit::Scratch::new();
    std::fs::create_dir(scratch.at("closed")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(scratch.at("closed"), mode).unwrap();
    let mut command = Command::new("/bin/true");
    command.uid(65_532).current_dir(scratch.at("closed"));
    let error = command.status().unwrap_err();
    assert!(matches!(error.cause(), Cause::Start(StartFailure::Directory, _)), "{error:?}");
}

#[test]
fn a_program_does_not_run_if_its_user_cannot_be_set() {
    let scratch = curt_testkit::Scratch::new();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "echo started > \"$0\""]).arg(scratch.at("made"));
    // Nobody may become this one.
    let error = command.uid(u32::MAX).status().unwrap_err();
    assert!(matches!(error.cause(), Cause::Start(StartFailure::System, _)), "{error:?}");
    assert!(!scratch.at("made").exists());
}

#[test]
fn a_umask_is_that_of_the_program_alone() {
    shell("umask", |way, mut command| {
        let before = printed(&command);
        command.umask(0o027);
        assert_eq!(printed(&command), "0027\n", "{way}");
        assert_eq!(printed(Command::new("/bin/sh").args(["-c", "umask"])), before, "{way}");
    });
}

#[test]
fn a_program_joins_a_group() {
    // Not every system has `ps`, and not every one `/proc`.
    let group = "ps -o pgid= -p $$ 2>/dev/null || cut -d ' ' -f 5 /proc/$$/stat";
    shell(group, |way, mut command| {
        let mut leader = Command::new("/bin/sleep");
        let leader = leader.arg("100").process_group(0).kill_on_drop(true).spawn().unwrap();
        let group = leader.id().to_string();
        command.process_group(group.parse().unwrap());
        assert_eq!(printed(&command).trim(), group, "{way}");
        command.process_group(0);
        assert_ne!(printed(&command).trim(), group, "{way}");
    });
}

#[test]
fn a_joined_group_is_no_tree_that_can_be_killed() {
    shell("exit 0", |way, mut command| {
        let mut leader = Command::new("/bin/sleep");
        let leader = leader.arg("100").process_group(0).kill_on_drop(true).spawn().unwrap();
        command.own_tree(true).process_group(leader.id().try_into().unwrap());
        let error = command.spawn().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{way}");
        let is_system = matches!(error.cause(), Cause::Start(StartFailure::System, _));
        assert!(is_system && error.to_string().contains("process group"), "{way}: {error}");
        assert!(command.own_tree(false).status().unwrap().success(), "{way}");
        assert!(command.own_tree(true).process_group(0).status().unwrap().success(), "{way}");
    });
}
