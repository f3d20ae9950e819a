//! Starts, in every way that this system has.

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(unix)]
mod communicating;
mod failing;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(unix)]
mod given;
#[cfg(unix)]
mod named;
#[cfg(unix)]
mod rights;
#[cfg(unix)]
mod running;
#[cfg(unix)]
mod swapped;

use super::Command;
use crate::sys::Feature;

#[test]
fn commands_and_children_can_be_shared_by_threads() {
    fn assert_shared<T: Send + Sync>() {}
    assert_shared::<Command>();
    assert_shared::<super::Child>();
    assert_shared::<crate::Search>();
}

/// The ways to start a program, and the features they do without.
#[cfg(target_os = "linux")]
const WAYS: [(&str, &[Feature]); 3] = [
    ("clone3", &[]),
    ("posix_spawn", &[Feature::Clone3]),
    ("fork", &[Feature::Clone3, Feature::PosixSpawn]),
];
#[cfg(not(target_os = "linux"))]
const WAYS: [(&str, &[Feature]); 1] = [("the only one", &[])];

/// Runs a test with every way to start.
fn in_every_way(program: &str, mut ask: impl FnMut(&str, Command)) {
    for (way, without) in WAYS {
        let mut command = Command::new(program);
        for &feature in without {
            command.without(feature);
        }
        ask(way, command);
    }
}

/// Runs a test with a shell that runs this script.
#[cfg(unix)]
fn shell(script: &str, ask: impl Fn(&str, Command)) {
    in_every_way("/bin/sh", |way, mut command| {
        command.args(["-c", script]);
        ask(way, command);
    });
}

/// What a command prints.
#[cfg(unix)]
fn printed(command: &Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}
