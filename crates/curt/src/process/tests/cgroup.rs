//! Programs in new control groups, if this process may create them.

use std::fs::{create_dir, read_to_string, remove_dir};
use std::path::{Path, PathBuf};

use curt_testkit::skip;

use super::running::{assert_goes, is_gone, with_grandchild};
use crate::error::{Cause, StartFailure};
use crate::os::linux::CommandCgroup;
use crate::os::unix::CommandExtras;
use crate::process::{Command, Stream};
use crate::sys::Feature;

/// A group that contains the groups of one test.
struct Ground(PathBuf);

impl Ground {
    /// `None`, with a message, if this process may create none.
    fn new(name: &str) -> Option<Ground> {
        let own = read_to_string("/proc/self/cgroup").unwrap_or_default();
        let own = own
            .lines()
            .find_map(|line| line.strip_prefix("0::"))
            .unwrap_or("/")
            .trim_start_matches('/');
        let name = format!("curt-test-{name}-{}", std::process::id());
        let places = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
        let place =
            places.map(|place| Path::new(place).join(own).join(&name)).into_iter().find(|place| {
                create_dir(place).is_ok() && {
                    let is_group = place.join("cgroup.kill").exists();
                    if !is_group {
                        remove_dir(place).unwrap();
                    }
                    is_group
                }
            });
        if place.is_none() {
            skip("no control group can be made here, or none that can be killed");
        }
        place.map(Ground)
    }

    /// The groups in it.
    fn groups(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        remove_dir(&self.0).unwrap();
    }
}

fn shell(text: &str, ground: &Ground) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", text]).own_tree(true).cgroup_below(&ground.0);
    command
}

const ESCAPES: &str = "setsid sh -c 'echo $$; exec sleep 100' & wait";

#[test]
fn a_new_session_does_not_leave_the_control_group() {
    let Some(ground) = Ground::new("session") else { return };
    let (mut child, escaped) = with_grandchild(shell(ESCAPES, &ground));
    assert!(!is_gone(escaped));
    assert_eq!(ground.groups().len(), 1);
    child.kill_tree().unwrap();
    assert!(!child.wait().unwrap().success());
    assert_goes(escaped, "by its group");
    child.kill_tree().unwrap();
    drop(child);
    assert_eq!(ground.groups(), Vec::<PathBuf>::new());
}

#[test]
fn a_program_in_a_control_group_may_join_a_process_group() {
    let Some(ground) = Ground::new("joined") else { return };
    let mut leader = Command::new("/bin/sleep");
    let leader = leader.arg("100").process_group(0).kill_on_drop(true).spawn().unwrap();
    let mut command = shell(ESCAPES, &ground);
    command.process_group(leader.id().try_into().unwrap());
    let (mut child, escaped) = with_grandchild(command);
    child.kill_tree().unwrap();
    assert!(!child.wait().unwrap().success());
    assert_goes(escaped, "by its group");
    assert_eq!(leader.try_wait().unwrap(), None);
    drop(child);
}

#[test]
fn kill_on_drop_kills_what_outlives_the_program_in_its_control_group() {
    let Some(ground) = Ground::new("outlived") else { return };
    let mut command = shell("setsid sh -c 'echo $$; exec sleep 100' & read line", &ground);
    command.stdin(Stream::pipe()).kill_on_drop(true);
    let (mut child, escaped) = with_grandchild(command);
    assert!(child.wait().is_ok());
    assert!(!is_gone(escaped));
    drop(child);
    assert_goes(escaped, "by its group");
    assert_eq!(ground.groups(), Vec::<PathBuf>::new());
}

#[test]
fn a_control_group_with_live_processes_stays() {
    let Some(ground) = Ground::new("lives") else { return };
    let command = shell("setsid sh -c 'echo $$; exec sleep 100' & exit 0", &ground);
    let (mut child, escaped) = with_grandchild(command);
    assert!(child.wait().unwrap().success());
    drop(child);
    let groups = ground.groups();
    let [group] = groups.as_slice() else { panic!("{groups:?}") };
    assert!(!is_gone(escaped));
    std::fs::write(group.join("cgroup.kill"), "1").unwrap();
    assert_goes(escaped, "by its group");
    while remove_dir(group).is_err() {
        std::thread::yield_now();
    }
}

#[test]
fn a_start_that_fails_leaves_no_group() {
    let Some(ground) = Ground::new("fails") else { return };
    let mut command = Command::new("/nonexistent/program");
    command.cgroup_below(&ground.0);
    assert!(matches!(
        command.spawn().err().unwrap().cause(),
        Cause::Start(StartFailure::ProgramMissing, _)
    ));
    // Only `clone3` can create a child in a control group.
    let mut command = Command::new("/bin/true");
    command.cgroup_below(&ground.0).without(Feature::Clone3);
    assert!(matches!(
        command.spawn().err().unwrap().cause(),
        Cause::Start(StartFailure::System, _)
    ));
    assert!(Command::new("/bin/true").cgroup_below(&ground.0).status().unwrap().success());
    assert_eq!(ground.groups(), Vec::<PathBuf>::new());
}

#[test]
fn calls_of_a_group_are_three_and_three() {
    let Some(ground) = Ground::new("calls") else { return };
    let mut child = shell("exit 0", &ground).spawn().unwrap();
    assert_eq!(child.calls().total(), 3 + 4, "{:?}", child.calls());
    child.wait().unwrap();
    let before = child.calls().total();
    child.kill_tree().unwrap();
    assert_eq!(child.calls().total(), before + 3, "{:?}", child.calls());
}

#[test]
fn a_directory_that_is_no_control_group_is_reported() {
    let mut command = Command::new("/bin/true");
    let error = command.cgroup_below("/nonexistent").spawn().err().unwrap();
    assert!(error.to_string().contains("no control group below /nonexistent"), "{error}");
}
