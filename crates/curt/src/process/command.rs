//! What is to be started, said step by step.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};
use std::time::Duration;

use super::again::Again;
use super::child::Child;
use super::environment::Changes;
use super::program::{Names, NotStarted};
use crate::calls::Calls;
use crate::control::Cancel;
use crate::error::{Cause, Error, Operation, StartFailure};
use crate::sys::process::{self, Group, Launch, Process};
use crate::sys::{Feature, Os, Setup, Sys};
use crate::which::{Search, SearchExplanation, Session};

pub(super) type Pipe = <Os as Process>::Pipe;

/// What a standard stream of a program is.
///
/// `Stream::from` takes a descriptor (`OwnedFd`) or a handle (`OwnedHandle`), and so everything
/// that turns into one: a file, a socket, the other end of somebody's pipe.
#[derive(Debug)]
pub struct Stream(Kind);

#[derive(Debug)]
enum Kind {
    Inherit,
    Null,
    Pipe,
    Open(Pipe),
}

impl Stream {
    /// The stream of this process.
    pub fn inherit() -> Stream {
        Stream(Kind::Inherit)
    }

    /// Nothing: reading ends at once, what is written goes away.
    pub fn null() -> Stream {
        Stream(Kind::Null)
    }

    /// A new pipe, whose other end is in the [`Child`].
    pub fn pipe() -> Stream {
        Stream(Kind::Pipe)
    }

    pub(crate) fn open(pipe: Pipe) -> Stream {
        Stream(Kind::Open(pipe))
    }
}

/// A program to be started, and how.
///
/// It can be started many times. Nothing is shared between starts but what is given as a file.
///
/// ```
/// # if cfg!(unix) {
/// use curt::Command;
/// let output = Command::new("/bin/echo").arg("hello").output()?;
/// assert_eq!(output.stdout, b"hello\n");
/// # }
/// # Ok::<(), curt::Error>(())
/// ```
pub struct Command {
    program: OsString,
    zeroth: Option<OsString>,
    arguments: Vec<OsString>,
    variables: Changes,
    directory: Option<PathBuf>,
    streams: [Option<Stream>; 3],
    extra: Vec<(Pipe, i32)>,
    group: Group,
    tree: bool,
    /// For `os`.
    pub(crate) place: process::Place,
    close_others: bool,
    unblocks: bool,
    kill_on_drop: bool,
    again: Again,
    search: Search,
    pub(super) setup: Setup,
}

impl Command {
    /// A program. One with a separator in it is a path, relative to the directory that the program
    /// is to run in ([`Command::current_dir`]), on every system.
    pub fn new(program: impl AsRef<OsStr>) -> Command {
        Command {
            program: program.as_ref().to_owned(),
            zeroth: None,
            arguments: Vec::new(),
            variables: Changes::default(),
            directory: None,
            streams: [None, None, None],
            extra: Vec::new(),
            group: Group::Same,
            tree: false,
            place: process::Place::default(),
            close_others: false,
            unblocks: false,
            kill_on_drop: false,
            again: Again::default(),
            search: Search::new(),
            setup: Setup::default(),
        }
    }

    /// One more argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Command {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// More arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Command {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// What the program is told that it is called, instead of what it was started as.
    pub fn arg0(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        self.zeroth = Some(name.as_ref().to_owned());
        self
    }

    /// Sets a variable of the program.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Command {
        self.variables.set::<Os>(name.as_ref(), Some(value.as_ref()));
        self
    }

    /// Sets variables of the program.
    pub fn envs(
        &mut self,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) -> &mut Command {
        for (name, value) in variables {
            self.env(name, value);
        }
        self
    }

    /// Takes a variable away.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        self.variables.set::<Os>(name.as_ref(), None);
        self
    }

    /// Takes all variables away, those set so far too. On Windows `SystemRoot` stays, without which
    /// few programs start, unless [`env_remove`](Command::env_remove) takes it away afterwards.
    pub fn env_clear(&mut self) -> &mut Command {
        self.variables.clear();
        self
    }

    /// The directory that the program runs in.
    pub fn current_dir(&mut self, directory: impl AsRef<Path>) -> &mut Command {
        self.directory = Some(directory.as_ref().to_owned());
        self
    }

    /// What the program reads; that of this process, unless it is [`Command::output`].
    pub fn stdin(&mut self, stream: impl Into<Stream>) -> &mut Command {
        self.streams[0] = Some(stream.into());
        self
    }

    /// What the program writes to.
    pub fn stdout(&mut self, stream: impl Into<Stream>) -> &mut Command {
        self.streams[1] = Some(stream.into());
        self
    }

    /// What the program writes its messages to.
    pub fn stderr(&mut self, stream: impl Into<Stream>) -> &mut Command {
        self.streams[2] = Some(stream.into());
        self
    }

    /// Whether the program leads a process group of its own, which signals from the terminal do not
    /// reach.
    pub fn new_group(&mut self, wanted: bool) -> &mut Command {
        self.group = match self.group {
            _ if wanted => Group::New,
            Group::New => Group::Same,
            other => other,
        };
        self
    }

    /// Whether the program leads a session of its own, without a terminal (on Windows without a
    /// console).
    pub fn new_session(&mut self, wanted: bool) -> &mut Command {
        self.group = match self.group {
            _ if wanted => Group::Session,
            Group::Session => Group::Same,
            other => other,
        };
        self
    }

    /// Makes [`Child::kill_tree`] reach what the program starts.
    ///
    /// On Unix by a process group of its own: a process that leaves the group (`setsid`, `setpgid`,
    /// a shell with job control, a daemon) escapes; on Linux not from a control group
    /// (`os::linux::CommandCgroup`). On Windows by a job, which nothing escapes that was not
    /// allowed to.
    pub fn own_tree(&mut self, wanted: bool) -> &mut Command {
        self.tree = wanted;
        self
    }

    /// Whether nothing that is open here reaches the program but its streams and what was given by
    /// name. On Windows that is always so. On Unix descriptors that somebody left inheritable reach
    /// it otherwise, as they do a `make` that counts on it.
    pub fn close_others(&mut self, wanted: bool) -> &mut Command {
        self.close_others = wanted;
        self
    }

    /// Whether dropping the [`Child`] ends the program (and its tree, with [`Command::own_tree`])
    /// and waits for it.
    pub fn kill_on_drop(&mut self, wanted: bool) -> &mut Command {
        self.kill_on_drop = wanted;
        self
    }

    /// How often, and for how long, a start is tried again where somebody has the program open for
    /// writing (`ETXTBSY`): not at all by default.
    ///
    /// That may be this process: a program that it has just written may still be open in a child
    /// that another of its threads starts, for a moment. A try costs what a failed start costs, and
    /// the pauses between them, which grow from 1 to 100 ms, a sleep for every 5 ms begun.
    pub fn retries(&mut self, count: u32, window: Duration) -> &mut Command {
        (self.again.retries, self.again.window) = (count, window);
        self
    }

    /// What ends the pauses of [`Command::retries`] early; the start then fails as it did.
    pub fn cancel(&mut self, cancel: impl AsRef<Cancel> + Send + Sync + 'static) -> &mut Command {
        self.again.cancel = Some(Box::new(cancel));
        self
    }

    /// Whether `/bin/sh` is to run a program in no format that the system knows (`ENOEXEC`), as
    /// `execvp` has it: mostly a script without a first line that names what runs it. It is told
    /// the program's path and the arguments; what [`Command::arg0`] says is lost.
    ///
    /// Not by default: a file that is damaged, or for another processor, would be read as a script.
    /// Costs nothing where the program starts, and else the failed start and another one. There is
    /// no such shell on Windows.
    pub fn shell_fallback(&mut self, wanted: bool) -> &mut Command {
        self.again.shell = wanted;
        self
    }

    /// Does without a feature of the system, as it is tested.
    #[doc(hidden)]
    pub fn without(&mut self, feature: Feature) -> &mut Command {
        self.setup.without = self.setup.without.with(feature);
        self
    }

    /// Whether no signal is held back in the program. Otherwise those are that this thread holds
    /// back, as with the standard library; a thread that takes its signals in another way may not
    /// want that of others. Costs 1 call in the child. There are no such signals on Windows.
    pub fn unblock_signals(&mut self, wanted: bool) -> &mut Command {
        self.unblocks = wanted;
        self
    }

    /// How a program that is given by a name is looked for: by whose rules, and in which `PATH`.
    /// What it leaves open is taken from the variables and the directory of the program that is
    /// started, not from those of this process.
    pub fn search(&mut self, search: Search) -> &mut Command {
        self.search = search;
        self
    }

    pub(crate) fn give(&mut self, pipe: Pipe, number: i32) {
        self.extra.retain(|(_, given)| *given != number);
        self.extra.push((pipe, number));
    }

    /// Starts the program.
    ///
    /// # Errors
    ///
    /// [`Cause::Start`] says why it could not be started, [`Cause::Find`] why no program of that
    /// name was found; [`Error::path`] at what it failed: the program, or its directory.
    pub fn spawn(&self) -> Result<Child, Error> {
        self.spawn_from(&mut Names::Search(&self.search))
    }

    /// The same, by a session of look-ups. The environment and the base directory of the names are
    /// the session's, whatever those of the program are.
    pub fn spawn_by(&self, session: &mut Session) -> Result<Child, Error> {
        self.spawn_from(&mut Names::Session(session))
    }

    fn spawn_from(&self, names: &mut Names<'_>) -> Result<Child, Error> {
        let sys = self.sys();
        let started = self.start(&sys, names, Defaults::Inherit, false)?;
        Ok(Child::new(sys, started, self.program.clone(), self.kill_on_drop))
    }

    /// Starts the program and waits for its end. A stream that is a pipe is closed first, so that
    /// nobody waits for anybody.
    pub fn status(&self) -> Result<ExitStatus, Error> {
        self.status_from(&mut Names::Search(&self.search))
    }

    /// The same, by a session of look-ups, as [`Command::spawn_by`].
    pub fn status_by(&self, session: &mut Session) -> Result<ExitStatus, Error> {
        self.status_from(&mut Names::Session(session))
    }

    fn status_from(&self, names: &mut Names<'_>) -> Result<ExitStatus, Error> {
        let sys = &self.sys();
        let Started { mut child, pipes, .. } = self.start(sys, names, Defaults::Inherit, true)?;
        for pipe in pipes.into_iter().flatten() {
            sys.close_pipe(pipe);
        }
        let ended = super::child::wait(sys, &mut child, &self.program);
        sys.forget(child);
        ended
    }

    /// Starts the program, reads all that it writes, and waits for its end. What is not said
    /// otherwise: nothing to read, and both outputs are taken.
    ///
    /// Both are read as they come, so a program that writes much to either is never kept waiting.
    /// The end of an output is when everybody who can write to it has closed it, also what the
    /// program started.
    pub fn output(&self) -> Result<Output, Error> {
        let sys = self.sys();
        let names = &mut Names::Search(&self.search);
        let Started { mut child, pipes, .. } = self.start(&sys, names, Defaults::Collect, true)?;
        let [input, stdout, stderr] = pipes;
        if let Some(input) = input {
            sys.close_pipe(input);
        }
        let output = super::child::output(&sys, &mut child, [stdout, stderr], &self.program);
        sys.forget(child);
        output
    }

    /// Looks for the program as a start would, and tells of every step. Nothing is started.
    pub fn explain(&self) -> SearchExplanation {
        let environment = self.variables.apply::<Os>();
        let directory = self.directory.as_deref();
        self.search.for_child(environment.as_deref(), directory).explain(&self.program)
    }

    fn sys(&self) -> Os {
        Os::start(&self.setup)
    }

    fn start(
        &self,
        sys: &Os,
        names: &mut Names<'_>,
        usual: Defaults,
        only_waits: bool,
    ) -> Result<Started, Error> {
        let has_number = |&(_, number): &(Pipe, i32)| number > 2;
        if !self.variables.are_names::<Os>() || !self.extra.iter().all(has_number) {
            let error = io::ErrorKind::InvalidInput.into();
            return Err(self.error(StartFailure::InvalidText, error));
        }
        let cancel = self.again.cancel();
        let environment = self.variables.apply::<Os>();
        let kinds: [&Kind; 3] = std::array::from_fn(|stream| match &self.streams[stream] {
            Some(Stream(kind)) => kind,
            None => usual.of(stream),
        });
        let (mut ours, mut theirs) = ([None, None, None], [None, None, None]);
        for (stream, _) in kinds.iter().enumerate().filter(|(_, kind)| matches!(kind, Kind::Pipe)) {
            let (reader, writer) =
                sys.pipe().map_err(|error| self.error(StartFailure::System, error))?;
            let (our, their) = if stream == 0 { (writer, reader) } else { (reader, writer) };
            (ours[stream], theirs[stream]) = (Some(our), Some(their));
        }
        let streams = std::array::from_fn(|stream| match (kinds[stream], &theirs[stream]) {
            (Kind::Open(pipe), _) | (Kind::Pipe, Some(pipe)) => process::Stream::Open(pipe),
            (Kind::Null, _) => process::Stream::Null,
            (Kind::Inherit | Kind::Pipe, _) => process::Stream::Inherit,
        });
        let launch = Launch {
            program: Path::new(&self.program),
            zeroth: self.zeroth.as_ref().unwrap_or(&self.program),
            arguments: &self.arguments,
            environment: environment.as_deref(),
            directory: self.directory.as_deref(),
            streams,
            extra: &self.extra,
            group: self.group,
            tree: self.tree,
            place: &self.place,
            close_others: self.close_others,
            unblocks: self.unblocks,
            only_waits,
        };
        let (started, looked) =
            names.start(&self.program, &launch, |launch| self.again.start(sys, cancel, launch));
        for pipe in theirs.into_iter().flatten() {
            sys.close_pipe(pipe);
        }
        match started {
            Ok(child) => Ok(Started { child, pipes: ours, looked }),
            Err(NotStarted::Failed(path, why, error)) => Err(self.error_at(path, why, error)),
            Err(NotStarted::NotFound(error)) => {
                let path = PathBuf::from(&self.program);
                Err(Error::new(Operation::Find, path, Cause::Find(error)))
            }
        }
    }

    /// What is told of a start that failed.
    fn error(&self, why: StartFailure, error: io::Error) -> Error {
        self.error_at(None, why, error)
    }

    fn error_at(&self, program: Option<PathBuf>, why: StartFailure, error: io::Error) -> Error {
        let (operation, path) = match (&why, &self.directory) {
            (StartFailure::Directory, Some(directory)) => (Operation::Enter, directory.clone()),
            _ => (Operation::Start, program.unwrap_or_else(|| (&self.program).into())),
        };
        Error::new(operation, path, Cause::Start(why, error))
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Command");
        shown.field("program", &self.program).field("arguments", &self.arguments);
        shown.field("directory", &self.directory).field("variables", &self.variables);
        shown.field("streams", &self.streams).finish_non_exhaustive()
    }
}

/// What streams are of which nothing was said.
#[derive(Clone, Copy)]
enum Defaults {
    Inherit,
    Collect,
}

impl Defaults {
    fn of(self, stream: usize) -> &'static Kind {
        match self {
            Defaults::Inherit => &Kind::Inherit,
            Defaults::Collect if stream == 0 => &Kind::Null,
            Defaults::Collect => &Kind::Pipe,
        }
    }
}

/// A program that runs, and our ends of its pipes.
pub(super) struct Started {
    pub(super) child: <Os as Process>::Child,
    pub(super) pipes: [Option<Pipe>; 3],
    /// The calls that looking it up took.
    pub(super) looked: Calls,
}
