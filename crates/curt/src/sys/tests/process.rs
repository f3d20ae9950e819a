//! The contract for starting programs, without what Linux alone has.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::error::StartFailure;
use crate::sys::process::{Container, Exchange, Group, Kill, Launch, Rights, Spawn, Stage, Stream};
use crate::sys::tests::portably;
use crate::sys::{Features, Os, Setup, Sys};

#[cfg(target_os = "linux")]
static CONTAINER: Container = Container { cgroup: None };
#[cfg(not(target_os = "linux"))]
static CONTAINER: Container = Container {};
static RIGHTS: Rights = Rights { user: None, group: None, groups: None, umask: None };

/// A plain launch of a program.
fn launch<'a, P>(program: &'a str, arguments: &'a [std::ffi::OsString]) -> Launch<'a, P> {
    Launch {
        program: Path::new(program),
        zeroth: OsStr::new("zeroth"),
        arguments,
        environment: None,
        directory: None,
        streams: [Stream::Inherit, Stream::Null, Stream::Inherit],
        extra: &[],
        group: Group::Same,
        tree: false,
        container: &CONTAINER,
        rights: &RIGHTS,
        close_others: false,
        unblocks: false,
        default_signals: None,
        only_waits: false,
    }
}

fn ask<S: Spawn>() {
    let sys = S::start(&Setup::default());
    let end = |launch: &Launch<'_, S::Pipe>| {
        let mut child = sys.spawn(launch).unwrap();
        assert!(S::id(&child) > 0);
        let ended = sys.wait(&mut child).unwrap();
        sys.release(&mut child);
        ended.code()
    };
    let arguments = ["-c".into(), "exit 7".into()];
    assert_eq!(end(&launch("/bin/sh", &arguments)), Some(7));
    let arguments = ["-c".into(), "test \"$A$HOME\" = b && test \"$(pwd)\" = / && exit 3".into()];
    let variables = [(OsStr::new("A").into(), OsStr::new("b").into())];
    let mut all = launch("/bin/sh", &arguments);
    all.environment = Some(&variables);
    all.directory = Some(Path::new("/"));
    assert_eq!(end(&all), Some(3));

    let arguments = ["100".into()];
    let mut child = sys.spawn(&launch("/bin/sleep", &arguments)).unwrap();
    assert_eq!(sys.wait_timeout(&child, Duration::from_millis(5)).unwrap(), None);
    sys.kill(&child, Kill::Child).unwrap();
    let ended = sys.wait_timeout(&child, Duration::from_secs(20)).unwrap().unwrap();
    assert_eq!(ended.code(), None);
    sys.release(&mut child);

    let reason = |program: &str, directory: Option<&Path>| {
        let mut launch = launch(program, &[]);
        launch.directory = directory;
        let failure = sys.spawn(&launch).map(drop).unwrap_err();
        assert_ne!(failure.at, Stage::Child);
        sys.explain(&launch, &failure)
    };
    assert_eq!(reason("/no/such", None), StartFailure::ProgramMissing);
    assert_eq!(reason("/etc/passwd", None), StartFailure::NotExecutable);
    assert_eq!(reason("/bin/true", Some(Path::new("/no/such"))), StartFailure::Directory);
    assert!(sys.calls().total() > 0);
}

#[test]
fn the_portable_path_starts_programs() {
    portably(ask::<Os>);
}

/// By `posix_spawn` if that can do it, else by `fork`.
#[test]
fn the_portable_path_passes_descriptors_and_directories() {
    let sys = Os::start(&Setup { without: Features::of_linux(), ..Setup::default() });
    let arguments = ["-c".into(), "echo out".into()];
    for (close_others, way) in [(true, "fork"), (false, "posix_spawn")] {
        let (reader, writer) = sys.pipe().unwrap();
        let mut launch = launch("/bin/sh", &arguments);
        launch.streams = [Stream::Null, Stream::Open(&writer), Stream::Null];
        (launch.close_others, launch.tree, launch.unblocks) = (close_others, true, true);
        let mut child = sys.spawn(&launch).unwrap();
        sys.close_pipe(writer);
        let mut exchange = Exchange::new([None, Some(reader), None], b"");
        assert!(sys.exchange(&mut exchange, None).unwrap());
        assert_eq!(exchange.outputs, [&b"out\n"[..], b""]);
        assert!(sys.wait(&mut child).unwrap().success());
        sys.kill(&child, Kill::Tree).unwrap();
        assert_eq!(sys.calls().of(way), 1, "{way}");
    }
}
