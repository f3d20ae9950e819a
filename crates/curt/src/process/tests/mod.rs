//! Starting, in every way that this system has.

#[cfg(target_os = "linux")]
mod cgroup;
mod failing;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(unix)]
mod given;
#[cfg(unix)]
mod named;
#[cfg(unix)]
mod running;
#[cfg(unix)]
mod swapped;

use super::Command;
use crate::sys::Feature;

/// The ways to start a program: by what is done without.
#[cfg(target_os = "linux")]
const WAYS: [(&str, &[Feature]); 3] = [
    ("clone3", &[]),
    ("posix_spawn", &[Feature::Clone3]),
    ("fork", &[Feature::Clone3, Feature::PosixSpawn]),
];
#[cfg(not(target_os = "linux"))]
const WAYS: [(&str, &[Feature]); 1] = [("the only one", &[])];

/// Asks the same of every way.
fn in_every_way(program: &str, mut ask: impl FnMut(&str, Command)) {
    for (way, without) in WAYS {
        let mut command = Command::new(program);
        for &feature in without {
            command.without(feature);
        }
        ask(way, command);
    }
}

/// A shell with this to do.
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
