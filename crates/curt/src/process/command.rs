use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use super::child::{Child, TimedOutput};
use super::program::{NotStarted, Refusal, is_path, start_first};
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation, StartFailure};
use crate::sys::process::ESSENTIAL_VARIABLES;
use crate::sys::{Os, Setup, Sys};
use crate::which::{Search, SearchExplanation, Variables, is_same_variable};
use curt_paths::Flavor;

/// A standard stream of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Inherits the stream of this process.
    Inherit,
    /// The null device.
    Null,
    /// A new pipe, whose other end is in the [`Child`].
    Pipe,
}

impl From<Stream> for Stdio {
    fn from(stream: Stream) -> Stdio {
        match stream {
            Stream::Inherit => Stdio::inherit(),
            Stream::Null => Stdio::null(),
            Stream::Pipe => Stdio::piped(),
        }
    }
}

/// A program to start, with its arguments, environment and streams.
///
/// ```
/// # if cfg!(unix) {
/// use curt::Command;
/// let output = Command::new("/bin/echo").arg("hello").output()?;
/// assert_eq!(output.stdout, b"hello\n");
/// # }
/// # Ok::<(), curt::Error>(())
/// ```
///
/// For other features, such as redirecting a stream to a file, pass the result of [`Search::find`]
/// to [`std::process::Command`].
pub struct Command {
    program: OsString,
    zeroth: OsString,
    arguments: Vec<OsString>,
    clears: bool,
    /// In order. `None` removes a variable.
    changes: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
    streams: [Option<Stream>; 3],
    has_tree: bool,
    search: Search,
    prepare: Option<fn(&mut process::Command)>,
    pub(super) setup: Setup,
}

impl Command {
    /// Creates a command for a program.
    ///
    /// If `program` contains a separator, it is a path, relative to the child's working directory
    /// ([`Command::current_dir`]). Other names are looked up ([`Command::search`]).
    pub fn new(program: impl AsRef<OsStr>) -> Command {
        let program = program.as_ref();
        Command {
            program: program.to_owned(),
            zeroth: program.to_owned(),
            arguments: Vec::new(),
            clears: false,
            changes: Vec::new(),
            directory: None,
            streams: [None; 3],
            has_tree: false,
            search: Search::new(),
            prepare: None,
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

    /// Sets argument zero; by default the name passed to [`Command::new`]. On Windows it is always
    /// the program's path.
    pub fn arg0(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        name.as_ref().clone_into(&mut self.zeroth);
        self
    }

    /// Sets an environment variable of the program.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Command {
        self.changes.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes an environment variable. A name that no variable can have is ignored.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        let name = name.as_ref();
        self.changes.retain(|(other, _)| !is_same_variable(Flavor::NATIVE, other, name));
        self.changes.push((name.to_owned(), None));
        self
    }

    /// Removes all environment variables, including those set so far. On Windows `SystemRoot`
    /// remains, because few programs start without it, but [`env_remove`](Command::env_remove) can
    /// remove it.
    pub fn env_clear(&mut self) -> &mut Command {
        self.clears = true;
        self.changes.clear();
        let current = |name: &&str| Some(((*name).into(), Some(std::env::var_os(name)?)));
        self.changes.extend(ESSENTIAL_VARIABLES.iter().filter_map(current));
        self
    }

    /// Sets the working directory of the program.
    pub fn current_dir(&mut self, directory: impl AsRef<Path>) -> &mut Command {
        self.directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Sets the standard input; by default inherited, or the null device with [`Command::output`].
    pub fn stdin(&mut self, stream: Stream) -> &mut Command {
        self.streams[0] = Some(stream);
        self
    }

    /// Sets the standard output; by default inherited, or a pipe with [`Command::output`].
    pub fn stdout(&mut self, stream: Stream) -> &mut Command {
        self.streams[1] = Some(stream);
        self
    }

    /// Sets the standard error; by default inherited, or a pipe with [`Command::output`].
    pub fn stderr(&mut self, stream: Stream) -> &mut Command {
        self.streams[2] = Some(stream);
        self
    }

    /// Sets whether killing the program also kills the processes it started.
    ///
    /// Ctrl-C in the terminal then does not reach the program, so this process must kill the tree
    /// before it exits. To handle the signal, wait in short steps ([`Child::wait_timeout`]) and
    /// call [`Child::kill`].
    ///
    /// On Unix the tree is a new process group. A process that leaves the group (`setsid`,
    /// `setpgid`, a shell with job control, a daemon) is not killed. On Windows the tree is a job,
    /// which a process can leave only with permission.
    pub fn own_tree(&mut self, wanted: bool) -> &mut Command {
        self.has_tree = wanted;
        self
    }

    /// Sets how a name is looked up. Settings missing in `search` come from the environment and
    /// working directory of the child, not of this process.
    pub fn search(&mut self, search: Search) -> &mut Command {
        self.search = search;
        self
    }

    /// Starts the program.
    ///
    /// # Errors
    ///
    /// [`Cause::Start`] if the program could not be started, [`Cause::Find`] if it was not found.
    /// [`Error::path`] is the program, or the working directory if that caused the failure.
    pub fn spawn(&self) -> Result<Child, Error> {
        self.spawn_with([Stream::Inherit; 3])
    }

    /// Starts the program and waits until it ends. First closes pipes for its output, because a
    /// full pipe would block the program.
    pub fn status(&self) -> Result<ExitStatus, Error> {
        let mut child = self.spawn()?;
        (child.stdout, child.stderr) = (None, None);
        child.wait()
    }

    /// Starts the program, collects its output, and waits until it ends. By default the input is
    /// empty.
    ///
    /// An output ends when every process that can write to it has closed it, even processes that
    /// the program started.
    pub fn output(&self) -> Result<Output, Error> {
        let child = self.spawn_with([Stream::Null, Stream::Pipe, Stream::Pipe])?;
        child.output_unless(Duration::MAX, || false)
    }

    /// Does the same as [`Command::output`], but at the time limit kills the program and returns
    /// the output so far.
    ///
    /// Processes that the program started keep running, unless
    /// [`own_tree(true)`](Command::own_tree) is set. The limit holds even if one of them keeps an
    /// output open.
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
        let mut child = self.spawn_with([Stream::Null, Stream::Pipe, Stream::Pipe])?;
        let begun = Instant::now();
        child.stdin = None;
        let mut outputs = [Vec::new(), Vec::new()];
        let read = child.read_until(limit, &mut outputs);
        let is_read = matches!(read, Ok(true));
        let ended = if is_read {
            child.wait_timeout(limit.saturating_sub(begun.elapsed()))
        } else {
            Ok(None)
        };
        let timed_out = matches!(ended, Ok(None));
        let status = match ended? {
            Some(status) => status,
            // The program has not been waited for, so its number cannot be reused.
            None => child.kill().and_then(|()| child.wait())?,
        };
        read?;
        let [stdout, stderr] = outputs;
        Ok(TimedOutput { status, stdout, stderr, timed_out })
    }

    /// Returns the program as given.
    pub fn get_program(&self) -> &OsStr {
        &self.program
    }

    pub(crate) fn zeroth(&self) -> &OsStr {
        &self.zeroth
    }

    pub(crate) fn inherits_variables(&self) -> bool {
        !self.clears && self.changes.is_empty()
    }

    /// Looks up the program as [`Command::spawn`] does, and records every step.
    pub fn explain(&self) -> SearchExplanation {
        self.search_for_child(self.variables()).explain(&self.program)
    }

    /// Sets a hook that runs before each start, for the `curt` command.
    #[doc(hidden)]
    pub fn prepare(&mut self, prepare: fn(&mut process::Command)) -> &mut Command {
        self.prepare = Some(prepare);
        self
    }

    /// Disables a feature of the system, for tests.
    #[doc(hidden)]
    pub fn without(&mut self, feature: crate::sys::Feature) -> &mut Command {
        self.setup.without = self.setup.without.with(feature);
        self
    }

    fn variables(&self) -> Option<Variables> {
        if self.inherits_variables() {
            return None;
        }
        let mut all = if self.clears { Vec::new() } else { std::env::vars_os().collect() };
        for (name, value) in &self.changes {
            all.retain(|(other, _)| !is_same_variable(Flavor::NATIVE, other, name));
            all.extend(value.clone().map(|value| (name.clone(), value)));
        }
        Some(all)
    }

    fn search_for_child(&self, variables: Option<Variables>) -> Search {
        self.search.for_child(variables, self.directory.as_deref())
    }

    fn spawn_with(&self, defaults: [Stream; 3]) -> Result<Child, Error> {
        let start = |sys: &Os, command: &mut process::Command| sys.spawn(command, self.has_tree);
        let ((child, tree), calls) = self.start(defaults, start)?;
        let (setup, program) = (self.setup.clone(), PathBuf::from(&self.program));
        Ok(Child::new(setup, child, tree, program, &calls))
    }

    pub(crate) fn start<T>(
        &self,
        defaults: [Stream; 3],
        start: impl Fn(&Os, &mut process::Command) -> io::Result<T>,
    ) -> Result<(T, Calls), Error> {
        let sys = Os::start(&self.setup);
        let program = || PathBuf::from(&self.program);
        let invalid =
            |(name, value): &&(OsString, Option<OsString>)| value.is_some() && !is_variable(name);
        if let Some((name, _)) = self.changes.iter().find(invalid) {
            let why = StartFailure::InvalidVariable { name: name.clone() };
            return Err(self.error(program(), (why, io::ErrorKind::InvalidInput.into())));
        }
        let variables = self.variables();
        let start = |path: &Path| {
            start(&sys, &mut self.at(path, variables.as_ref(), defaults))
                .map_err(|error| (sys.explain(path, self.directory.as_deref(), &error), error))
        };
        let (started, looked) = if is_path(&self.program) {
            let started = start(Path::new(&self.program));
            (started.map_err(|refusal| NotStarted::Refused(None, refusal)), Calls::default())
        } else {
            let mut search = self.search_for_child(variables.clone());
            (start_first(&search, &self.program, start), search.calls())
        };
        let mut calls = sys.calls();
        calls.add(&looked);
        match started {
            Ok(started) => Ok((started, calls)),
            Err(NotStarted::Refused(path, refusal)) => {
                Err(self.error(path.unwrap_or_else(program), refusal))
            }
            Err(NotStarted::NotFound(error)) => Err(error),
        }
    }

    #[allow(clippy::disallowed_methods, reason = "this is where programs are started")]
    fn at(
        &self,
        path: &Path,
        variables: Option<&Variables>,
        defaults: [Stream; 3],
    ) -> process::Command {
        let mut command = process::Command::new(path);
        Os::set_arg0(&mut command, self.zeroth());
        command.args(&self.arguments);
        if let Some(variables) = variables {
            command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let [stdin, stdout, stderr] =
            std::array::from_fn(|stream| self.streams[stream].unwrap_or(defaults[stream]));
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        if let Some(prepare) = self.prepare {
            prepare(&mut command);
        }
        command
    }

    fn error(&self, program: PathBuf, (why, error): Refusal) -> Error {
        let (operation, path) = match (&why, &self.directory) {
            (StartFailure::Directory, Some(directory)) => (Operation::Enter, directory.clone()),
            _ => (Operation::Start, program),
        };
        Error::new(operation, path, Cause::Start(why, error))
    }
}

/// On Windows, names of hidden variables begin with `=`.
fn is_variable(name: &OsStr) -> bool {
    let hidden = usize::from(Flavor::NATIVE == Flavor::Windows);
    !name.is_empty() && !name.as_encoded_bytes().iter().skip(hidden).any(|&byte| byte == b'=')
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omit the environment, which may hold secrets.
        let mut shown = f.debug_struct("Command");
        shown.field("program", &self.program).field("arguments", &self.arguments);
        shown.field("directory", &self.directory).field("streams", &self.streams);
        shown.finish_non_exhaustive()
    }
}
