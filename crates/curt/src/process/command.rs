//! The builder of a start.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};
use std::time::{Duration, Instant};

use super::child::{self, Child, Started, TimedOutput};
use super::environment::Changes;
use super::program::{Names, NotStarted};
use super::retry::{Refusal, Retry};
use super::stream::{Defaults, Kind, Pipe, Stream};
use crate::control::Cancel;
use crate::error::{Cause, Error, Operation, StartFailure};
use crate::sys::process::{self, Group, Launch, Spawn};
use crate::sys::{Feature, Os, Setup, Sys};
use crate::which::{Search, SearchExplanation};

/// What a caller lends for one start.
#[derive(Default)]
struct Given<'a> {
    /// Open files, with their numbers in the program; those from 0 to 2 are its streams.
    descriptors: &'a [(Pipe, i32)],
    /// All variables of the program; `None` for those of the command.
    variables: Option<&'a [process::Variable<'a>]>,
}

/// A program to start, and how to start it.
///
/// It can be started many times, by several threads. Starts share nothing but the files they are
/// given.
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
    /// Set by the traits in `os`, as are those below that others can see.
    pub(crate) extra: Vec<(Pipe, i32)>,
    pub(crate) group: Group,
    tree: bool,
    pub(crate) container: process::Container,
    pub(crate) rights: process::Rights,
    close_others: bool,
    unblocks: bool,
    /// The signals that get their default action; `None` for `SIGPIPE` alone.
    pub(crate) default_signals: Option<Vec<i32>>,
    kill_on_drop: bool,
    retry: Retry,
    search: Search,
    pub(super) setup: Setup,
}

impl Command {
    /// Creates a command for a program. A name with a separator is a path, on every system relative
    /// to the directory that the program runs in ([`Command::current_dir`]). Other names are looked
    /// up ([`Command::search`]).
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
            container: process::Container::default(),
            rights: process::Rights::default(),
            close_others: false,
            unblocks: false,
            default_signals: None,
            kill_on_drop: false,
            retry: Retry::default(),
            search: Search::new(),
            setup: Setup::default(),
        }
    }

    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Command {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Command {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets the argument zero of the program, which is the name it was created with by default.
    pub fn arg0(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        self.zeroth = Some(name.as_ref().to_owned());
        self
    }

    /// Sets an environment variable of the program.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Command {
        self.variables.set(name.as_ref(), Some(value.as_ref()));
        self
    }

    /// Sets environment variables of the program.
    pub fn envs(
        &mut self,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) -> &mut Command {
        for (name, value) in variables {
            self.env(name, value);
        }
        self
    }

    /// Removes an environment variable.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        self.variables.set(name.as_ref(), None);
        self
    }

    /// Removes all environment variables, including those set so far. On Windows `SystemRoot`
    /// stays, as few programs start without it, unless [`env_remove`](Command::env_remove) removes
    /// it later.
    pub fn env_clear(&mut self) -> &mut Command {
        self.variables.clear();
        self
    }

    /// Sets the directory that the program runs in.
    pub fn current_dir(&mut self, directory: impl AsRef<Path>) -> &mut Command {
        self.directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Sets the standard input: by default that of this process, for [`Command::output`] the null
    /// device.
    pub fn stdin(&mut self, stream: impl Into<Stream>) -> &mut Command {
        self.streams[0] = Some(stream.into());
        self
    }

    /// Sets the standard output: by default that of this process, for [`Command::output`] a pipe.
    pub fn stdout(&mut self, stream: impl Into<Stream>) -> &mut Command {
        self.streams[1] = Some(stream.into());
        self
    }

    /// Sets the standard error: by default that of this process, for [`Command::output`] a pipe.
    pub fn stderr(&mut self, stream: impl Into<Stream>) -> &mut Command {
        self.streams[2] = Some(stream.into());
        self
    }

    /// Sets whether the program leads a new process group, which signals from the terminal do not
    /// reach.
    pub fn new_group(&mut self, wanted: bool) -> &mut Command {
        self.group = match self.group {
            _ if wanted => Group::New,
            Group::New => Group::Same,
            other => other,
        };
        self
    }

    /// Sets whether the program leads a new session without a terminal, on Windows without a
    /// console.
    pub fn new_session(&mut self, wanted: bool) -> &mut Command {
        self.group = match self.group {
            _ if wanted => Group::Session,
            Group::Session => Group::Same,
            other => other,
        };
        self
    }

    /// Sets whether [`Child::kill_tree`] reaches what the program starts.
    ///
    /// Ctrl-C on the terminal no longer reaches the program then: what ends this process has to end
    /// the tree first. A program that handles the signal waits in short steps
    /// ([`Child::communicate`] with a time limit) and calls [`Child::kill_tree`].
    ///
    /// On Unix by a new process group: a process that leaves the group (`setsid`, `setpgid`, a
    /// shell with job control, a daemon) escapes; on Linux none escapes from a control group
    /// (`os::linux::CommandCgroup`). A start fails with
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) if the program is to join an existing group
    /// (`os::unix::CommandExtras::process_group`) without a control group, because then nothing
    /// tells its tree from the rest of that group. On Windows by a job, which only a process that
    /// is allowed to can leave.
    pub fn own_tree(&mut self, wanted: bool) -> &mut Command {
        self.tree = wanted;
        self
    }

    /// Sets whether the program inherits nothing but its streams and the descriptors it was given.
    /// On Windows that is always so. On Unix it otherwise inherits every descriptor that is
    /// inheritable, as programs like `make` expect.
    pub fn close_others(&mut self, wanted: bool) -> &mut Command {
        self.close_others = wanted;
        self
    }

    /// Sets whether dropping the [`Child`] kills the program (and its tree, with
    /// [`Command::own_tree`]) and waits for it.
    pub fn kill_on_drop(&mut self, wanted: bool) -> &mut Command {
        self.kill_on_drop = wanted;
        self
    }

    /// Sets how often, and for how long, a start is retried while the program is open for writing
    /// (`ETXTBSY`): not at all by default.
    ///
    /// This process may be the reason: a program that it has just written can be open for a moment
    /// in a child that another of its threads starts. A retry costs a failed start, and a sleep for
    /// every 5 ms of the pause before it; the pauses grow from 1 to 100 ms.
    pub fn retries(&mut self, count: u32, window: Duration) -> &mut Command {
        (self.retry.count, self.retry.window) = (count, window);
        self
    }

    /// Sets what ends the pauses of [`Command::retries`] early. The start then fails as it did
    /// before the pause. A program that was started goes on: [`Child::kill`] ends it.
    ///
    /// The command keeps the token: an `Arc<Cancel>`, or a reference to a `static` one. [`Cancel`]
    /// has an example.
    pub fn cancel(&mut self, cancel: impl AsRef<Cancel> + Send + Sync + 'static) -> &mut Command {
        self.retry.cancel = Some(Box::new(cancel));
        self
    }

    /// Sets whether `/bin/sh` runs a program whose format the system does not know (`ENOEXEC`), as
    /// with `execvp`: mostly a script without a `#!` line. The shell gets the path of the program
    /// and the arguments; [`Command::arg0`] has no effect then.
    ///
    /// Not by default: a damaged file, or one for another processor, would be read as a script.
    /// Costs nothing if the program starts, else a second start. Windows has no such shell.
    pub fn shell_fallback(&mut self, wanted: bool) -> &mut Command {
        self.retry.shell = wanted;
        self
    }

    /// Starts without a feature of the system, for tests.
    #[doc(hidden)]
    pub fn without(&mut self, feature: Feature) -> &mut Command {
        self.setup.without = self.setup.without.with(feature);
        self
    }

    /// Sets whether the program starts with no signal blocked. Otherwise it inherits the signal
    /// mask of this thread, as with the standard library. Costs 1 call in the child. Windows has no
    /// signals.
    pub fn unblock_signals(&mut self, wanted: bool) -> &mut Command {
        self.unblocks = wanted;
        self
    }

    /// Sets how a program that is given by its name is found: by which rules, and in which `PATH`.
    /// What the search leaves open is taken from the variables and the directory of the child, not
    /// from those of this process.
    pub fn search(&mut self, search: Search) -> &mut Command {
        self.search = search;
        self
    }

    /// Starts the program.
    ///
    /// # Errors
    ///
    /// [`Cause::Start`] says why it could not be started, [`Cause::Find`] why no program of this
    /// name was found; [`Error::path`] is the program, or its directory if that is to blame.
    pub fn spawn(&self) -> Result<Child, Error> {
        self.spawn_from(Names::Search(&self.search), Defaults::Inherit)
    }

    fn spawn_from(&self, names: Names<'_>, defaults: Defaults) -> Result<Child, Error> {
        let sys = self.sys();
        let started = self.start(&sys, names, defaults, false, &Given::default())?;
        let setup = self.setup.clone();
        Ok(Child::new(setup, started, self.program.clone(), self.kill_on_drop))
    }

    /// Starts the program with what the caller lends, without a handle on it. Returns its number.
    #[allow(dead_code, reason = "Unix alone offers it")]
    pub(crate) fn spawn_lent(
        &self,
        descriptors: &[(Pipe, i32)],
        variables: Option<&[process::Variable<'_>]>,
    ) -> Result<u32, Error> {
        let sys = self.sys();
        let names = Names::Search(&self.search);
        let given = Given { descriptors, variables };
        let Started { mut child, pipes, .. } =
            self.start(&sys, names, Defaults::Inherit, true, &given)?;
        for pipe in pipes.into_iter().flatten() {
            sys.close_pipe(pipe);
        }
        let id = Os::id(&child);
        sys.release(&mut child);
        Ok(id)
    }

    /// Starts the program and waits until it ends. Streams that are pipes are closed first, so that
    /// the program does not wait for this process.
    pub fn status(&self) -> Result<ExitStatus, Error> {
        self.status_from(Names::Search(&self.search))
    }

    fn status_from(&self, names: Names<'_>) -> Result<ExitStatus, Error> {
        let sys = &self.sys();
        let given = Given::default();
        let Started { mut child, pipes, .. } =
            self.start(sys, names, Defaults::Inherit, true, &given)?;
        for pipe in pipes.into_iter().flatten() {
            sys.close_pipe(pipe);
        }
        let ended = sys.wait(&mut child);
        sys.release(&mut child);
        ended.map_err(|reason| child::error(Operation::Wait, &self.program, reason))
    }

    /// Starts the program, reads all that it writes, and waits until it ends. By default its input
    /// is empty, and both outputs are collected.
    ///
    /// Both outputs are read as they arrive, so a program that writes much to either is not
    /// blocked. An output ends when every process that can write to it has closed it, including
    /// those that the program started.
    pub fn output(&self) -> Result<Output, Error> {
        let sys = self.sys();
        let names = Names::Search(&self.search);
        let given = Given::default();
        let Started { mut child, pipes, .. } =
            self.start(&sys, names, Defaults::Collect, true, &given)?;
        let [input, stdout, stderr] = pipes;
        if let Some(input) = input {
            sys.close_pipe(input);
        }
        let output = child::output(&sys, &mut child, [stdout, stderr]);
        sys.release(&mut child);
        output.map_err(|reason| child::error(Operation::Wait, &self.program, reason))
    }

    /// Starts the program, reads all that it writes, and waits until it ends, as
    /// [`Command::output`], but not beyond the time limit: see [`Command::output_with`]. What the
    /// program has started is killed with it only after [`Command::own_tree`].
    ///
    /// ```
    /// # if cfg!(unix) {
    /// use std::time::Duration;
    /// let mut command = curt::Command::new("/bin/sh");
    /// command.args(["-c", "echo begun; exec sleep 100"]);
    /// let output = command.output_timeout(Duration::from_millis(500))?;
    /// assert!(output.timed_out);
    /// assert_eq!(output.stdout, b"begun\n");
    /// # }
    /// # Ok::<(), curt::Error>(())
    /// ```
    pub fn output_timeout(&self, limit: Duration) -> Result<TimedOutput, Error> {
        self.output_with(b"", Some(limit))
    }

    /// Starts the program, writes this input to it, reads all that it writes, and waits until it
    /// ends. When the time limit passes, if there is one, the program is killed (with its tree,
    /// after [`Command::own_tree`]) and waited for, and what was read so far is returned.
    ///
    /// A process that the program started and left behind can hold an output open:
    /// [`Command::output`] then waits for it, this no longer than the limit. See
    /// [`Child::communicate`] for the calls it takes. If the standard input was set to anything but
    /// a pipe, the program reads that, and no input is written.
    ///
    /// ```
    /// # if cfg!(unix) {
    /// let mut command = curt::Command::new("/bin/cat");
    /// assert_eq!(command.output_with(b"hello", None)?.stdout, b"hello");
    /// # }
    /// # Ok::<(), curt::Error>(())
    /// ```
    pub fn output_with(&self, input: &[u8], limit: Option<Duration>) -> Result<TimedOutput, Error> {
        let defaults = if input.is_empty() { Defaults::Collect } else { Defaults::Feed };
        let mut child = self.spawn_from(Names::Search(&self.search), defaults)?;
        let begun = Instant::now();
        let mut ended = Ok(None);
        let output = child.exchange(input, limit);
        if output.as_ref().is_ok_and(|output| !output.timed_out) {
            ended = match limit {
                Some(limit) => child.wait_timeout(limit.saturating_sub(begun.elapsed())),
                None => child.wait().map(Some),
            };
        }
        let timed_out = matches!(ended, Ok(None));
        if timed_out {
            // Not waited for before, so that its group still has its number.
            ended = child.kill_tree().and_then(|()| child.wait()).map(Some);
        }
        // A failure to read or write comes first.
        let output = output?;
        Ok(TimedOutput { status: ended?, timed_out, ..output })
    }

    /// Returns the program.
    pub fn get_program(&self) -> &OsStr {
        &self.program
    }

    /// Iterates over the arguments.
    pub fn get_args(&self) -> impl ExactSizeIterator<Item = &OsStr> {
        self.arguments.iter().map(OsString::as_os_str)
    }

    /// Iterates over the environment variables that were set, and those that were removed, without
    /// a value. The variables that the program inherits are not among them.
    pub fn get_envs(&self) -> impl Iterator<Item = (&OsStr, Option<&OsStr>)> {
        self.variables.iter()
    }

    /// Returns the directory that the program runs in, if it was set.
    pub fn get_current_dir(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Looks for the program as a start would, and records every step. Starts nothing.
    pub fn explain(&self) -> SearchExplanation {
        let environment = self.variables.apply();
        let directory = self.directory.as_deref();
        self.search.for_child(environment.as_deref(), directory).explain(&self.program)
    }

    fn sys(&self) -> Os {
        Os::start(&self.setup)
    }

    fn start(
        &self,
        sys: &Os,
        names: Names<'_>,
        defaults: Defaults,
        only_waits: bool,
        given: &Given<'_>,
    ) -> Result<Started, Error> {
        let is_further = |&(_, number): &(Pipe, i32)| number > 2;
        let program = || PathBuf::from(&self.program);
        let are_numbers = given.descriptors.iter().all(|&(_, number)| number >= 0)
            && self.extra.iter().all(is_further);
        if !self.variables.are_names() || !are_numbers {
            let invalid = io::ErrorKind::InvalidInput.into();
            return Err(self.error(program(), (StartFailure::InvalidText, invalid)));
        }
        let cancel = self.retry.cancel();
        let applied = if given.variables.is_some() { None } else { self.variables.apply() };
        let environment = given.variables.or(applied.as_deref());
        let lent: [Option<&Pipe>; 3] = std::array::from_fn(|stream| {
            let of_stream = |&&(_, number): &&(Pipe, i32)| usize::try_from(number) == Ok(stream);
            given.descriptors.iter().rfind(of_stream).map(|(pipe, _)| pipe)
        });
        let kinds: [&Kind; 3] = std::array::from_fn(|stream| match &self.streams[stream] {
            Some(Stream(kind)) => kind,
            None => defaults.of(stream),
        });
        let (mut ours, mut theirs) = ([None, None, None], [None, None, None]);
        let is_pipe =
            |stream: &usize| lent[*stream].is_none() && matches!(kinds[*stream], Kind::Pipe);
        for stream in (0..3).filter(is_pipe) {
            let pipe = sys.pipe().map_err(|why| self.error(program(), (StartFailure::System, why)));
            let (reader, writer) = pipe?;
            let (our, their) = if stream == 0 { (writer, reader) } else { (reader, writer) };
            (ours[stream], theirs[stream]) = (Some(our), Some(their));
        }
        let streams = std::array::from_fn(|stream| {
            match (kinds[stream], lent[stream].or(theirs[stream].as_ref())) {
                (_, Some(pipe)) | (Kind::Open(pipe), _) => process::Stream::Open(pipe),
                (Kind::Null, _) => process::Stream::Null,
                (Kind::Inherit | Kind::Pipe, _) => process::Stream::Inherit,
            }
        });
        let further = given.descriptors.iter().filter(|descriptor| is_further(descriptor));
        let extra: Vec<(&Pipe, i32)> =
            self.extra.iter().chain(further).map(|(pipe, number)| (pipe, *number)).collect();
        let launch = Launch {
            program: Path::new(&self.program),
            zeroth: self.zeroth.as_ref().unwrap_or(&self.program),
            arguments: &self.arguments,
            environment,
            directory: self.directory.as_deref(),
            streams,
            extra: &extra,
            group: self.group,
            tree: self.tree,
            container: &self.container,
            rights: &self.rights,
            close_others: self.close_others,
            unblocks: self.unblocks,
            default_signals: self.default_signals.as_deref(),
            only_waits,
        };
        let (started, looked) =
            names.start(&self.program, &launch, |launch| self.retry.start(sys, cancel, launch));
        for pipe in theirs.into_iter().flatten() {
            sys.close_pipe(pipe);
        }
        match started {
            Ok(child) => {
                let mut calls = sys.calls();
                calls.add(&looked);
                Ok(Started { child, pipes: ours, calls })
            }
            Err(NotStarted::Refused(path, refusal)) => {
                Err(self.error(path.unwrap_or_else(program), refusal))
            }
            Err(NotStarted::NotFound(why)) => {
                Err(Error::new(Operation::Find, program(), Cause::Find(why)))
            }
        }
    }

    /// The error of a start of `program` that was refused. It names the directory if that is to
    /// blame.
    fn error(&self, program: PathBuf, (why, error): Refusal) -> Error {
        let (operation, path) = match (&why, &self.directory) {
            (StartFailure::Directory, Some(directory)) => (Operation::Enter, directory.clone()),
            _ => (Operation::Start, program),
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
