//! What starts have beside the standard library: the search, trees, limits, reasons of failures.

mod failing;
#[cfg(unix)]
mod named;
#[cfg(unix)]
mod running;
#[cfg(unix)]
mod swapped;

use super::Command;

#[test]
fn commands_and_children_can_be_shared_by_threads() {
    fn assert_shared<T: Send + Sync>() {}
    assert_shared::<Command>();
    assert_shared::<super::Child>();
}

/// What a command prints.
#[cfg(unix)]
fn printed(command: &Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}
