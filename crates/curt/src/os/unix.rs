//! Unix: removal below an open directory, the descriptors of roots and directories, names of
//! owners, and descriptors for child processes.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;

use crate::beneath::Root;
use crate::error::Error;
use crate::list::{Directory, List};
use crate::process::{ChildInput, ChildOutput, Command, Stream};
use crate::remove::{Remove, Report};
use crate::sys::process::Group;
use crate::sys::unix::accounts;
use crate::sys::unix::door::Lent;
use crate::sys::{into_descriptor, open_directory};

/// Removal below an open directory.
pub trait RemoveBelow {
    /// Removes the entry `name` of the directory `dir`, which can be opened with `O_PATH`. The name
    /// is one component: a name with a separator, `.` and `..` are refused. Paths in errors and
    /// events begin with the name.
    ///
    /// Costs what [`Remove::run`] costs, and two calls for a duplicate of the descriptor.
    ///
    /// A failure of these calls is reported as any other, to the callbacks too.
    #[must_use = "a removal may have failed; the report says so"]
    fn run_below(&self, dir: BorrowedFd<'_>, name: impl AsRef<OsStr>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedFd<'_>, name: impl AsRef<OsStr>) -> Report {
        super::remove_below(self, open_directory(dir), Path::new(name.as_ref()))
    }
}

/// The open directory, for the caller's own system calls. Where the system can, it is opened with
/// `O_PATH`.
impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir().as_fd()
    }
}

/// Adopts a directory that is open for reading, as in `scandir(fd)`. No call on Linux, where a
/// descriptor of something else fails when it is listed; elsewhere 2, for the stream of the C
/// library. On an error the descriptor is closed.
///
/// ```
/// use curt::list::Directory;
/// use curt::Fields;
/// let opened = std::fs::File::open("src")?;
/// let directory = Directory::try_from(std::os::fd::OwnedFd::from(opened))?;
/// for entry in directory.list(Fields::KIND) {
///     println!("{}", entry?.path.display());
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
impl TryFrom<OwnedFd> for Directory {
    type Error = Error;

    fn try_from(fd: OwnedFd) -> Result<Directory, Error> {
        Directory::adopted(|sys| sys.adopt(fd))
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

impl AsFd for List {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

/// Gives the descriptor up. No call on Linux; elsewhere it is duplicated, because the stream of the
/// C library closes its own.
impl TryFrom<Directory> for OwnedFd {
    type Error = io::Error;

    fn try_from(directory: Directory) -> io::Result<OwnedFd> {
        into_descriptor(directory.dir)
    }
}

/// A root at a directory that is open already, which can be opened with `O_PATH`. No call. If it is
/// not a directory, operations fail with "not a directory".
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-fd-{}", std::process::id()));
/// # std::fs::create_dir_all(&scratch)?;
/// use std::os::fd::OwnedFd;
///
/// let root = curt::Root::from(OwnedFd::from(std::fs::File::open(&scratch)?));
/// root.create_dir("made")?;
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
impl From<OwnedFd> for Root {
    fn from(fd: OwnedFd) -> Root {
        Root::of_dir(fd.into())
    }
}

/// Returns the name of a user by number, from the C library's user database; `None` if it has none.
/// A database in a file is read again each time; the cost depends on the database.
///
/// Fails if descriptors or memory run out. Other failures count as no name, because their error
/// numbers depend on the database (`getpwuid_r(3)`).
///
/// ```
/// assert_eq!(curt::os::unix::user_name(0)?.unwrap(), "root");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn user_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::user_name(id)
}

/// Returns the name of a group by number: see [`user_name`] (`getgrgid_r(3)`).
pub fn group_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::group_name(id)
}

/// Options for starting programs that only Unix has.
pub trait CommandExtras {
    /// Passes a descriptor to the program as `number`, which is 3 or more; the standard streams
    /// have their own methods. If a number is passed twice, the last descriptor is used.
    ///
    /// Costs 1 call in the child.
    fn descriptor(&mut self, fd: impl Into<OwnedFd>, number: RawFd) -> &mut Self;

    /// Sets the user that the program runs as. If this process is root, the program has no
    /// supplementary groups unless [`groups`](CommandExtras::groups) says so, as with the standard
    /// library.
    ///
    /// The program is started by a copy of this process (`fork`), not in shared memory: otherwise
    /// the other user might stop the child while this process waits for it. The same holds for
    /// [`gid`](CommandExtras::gid) and `groups`; none works together with a control group. The
    /// directory is entered as this user.
    ///
    /// Costs 1 call in the child and 1 to ask whether this process is root, and what a copy costs.
    /// Source: setuid(2).
    fn uid(&mut self, user: u32) -> &mut Self;

    /// Sets the group that the program runs as: see [`uid`](CommandExtras::uid). Costs 1 call in
    /// the child.
    fn gid(&mut self, group: u32) -> &mut Self;

    /// Sets the supplementary groups of the program: see [`uid`](CommandExtras::uid). Costs 1 call
    /// in the child.
    fn groups(&mut self, groups: &[u32]) -> &mut Self;

    /// Sets the permissions that files which the program creates do not get. Costs 1 call in the
    /// child.
    fn umask(&mut self, mask: u32) -> &mut Self;

    /// Sets the process group of the program: an existing one in this session, or a new one if the
    /// number is 0, as [`Command::new_group`] does. Costs 1 call in the child.
    ///
    /// An existing group does not go together with [`Command::own_tree`], because killing the
    /// program's tree would kill that group: a start fails with
    /// [`InvalidInput`](io::ErrorKind::InvalidInput), unless the program gets a control group.
    fn process_group(&mut self, group: i32) -> &mut Self;

    /// Sets the signals that have their default action in the program even if this process ignores
    /// them: `SIGPIPE` alone by default. Costs 1 call in the child for each.
    ///
    /// A start fails if the action of one of them cannot be changed.
    fn default_signals(&mut self, signals: &[i32]) -> &mut Self;
}

/// Starts for a caller that has its own descriptors and waits itself, such as a binding to another
/// language.
pub trait SpawnBorrowed {
    /// Starts the program, and returns its process number. The caller waits for it (`waitpid`).
    ///
    /// The program gets these descriptors, each as its number: 0 to 2 are its standard streams. Any
    /// number may be that of the descriptor itself. They take precedence over what was set for the
    /// number, and stay the caller's. A stream that the command has as a pipe otherwise is closed
    /// at once.
    ///
    /// With `variables`, the program gets exactly these, in this order, instead of those of the
    /// command, and is looked up with them.
    ///
    /// Costs what [`Command::spawn`] does. There is no handle on the program to close.
    ///
    /// ```
    /// use curt::os::unix::SpawnBorrowed;
    /// use std::os::fd::AsFd;
    /// let file = std::fs::File::open("/dev/null")?;
    /// let id = curt::Command::new("/bin/cat").spawn_borrowed(&[(file.as_fd(), 0)], None)?;
    /// let pid = rustix::process::Pid::from_raw(id.try_into()?);
    /// let ended = rustix::process::waitpid(pid, rustix::process::WaitOptions::empty())?;
    /// assert_eq!(ended.unwrap().1.exit_status(), Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn spawn_borrowed(
        &self,
        descriptors: &[(BorrowedFd<'_>, RawFd)],
        variables: Option<&[(Cow<'_, OsStr>, Cow<'_, OsStr>)]>,
    ) -> Result<u32, Error>;
}

impl SpawnBorrowed for Command {
    fn spawn_borrowed(
        &self,
        descriptors: &[(BorrowedFd<'_>, RawFd)],
        variables: Option<&[(Cow<'_, OsStr>, Cow<'_, OsStr>)]>,
    ) -> Result<u32, Error> {
        let lent = Lent::new(descriptors);
        self.spawn_lent(lent.pipes(), variables)
    }
}

/// Ends of pipes that do not block.
pub trait PipeExtras {
    /// Sets whether reading and writing return at once, with an error of the kind `WouldBlock`, for
    /// use with an event loop. The other end, which the program has, stays as it is. 1 call.
    ///
    /// [`Child::communicate`](crate::process::Child::communicate) waits all the same, and leaves
    /// the pipe as it was set here.
    fn set_nonblocking(&self, wanted: bool) -> io::Result<()>;
}

impl PipeExtras for ChildInput {
    fn set_nonblocking(&self, wanted: bool) -> io::Result<()> {
        self.0.set_nonblocking(wanted)
    }
}

impl PipeExtras for ChildOutput {
    fn set_nonblocking(&self, wanted: bool) -> io::Result<()> {
        self.0.set_nonblocking(wanted)
    }
}

impl CommandExtras for Command {
    fn descriptor(&mut self, fd: impl Into<OwnedFd>, number: RawFd) -> &mut Self {
        self.extra.retain(|(_, given)| *given != number);
        let fd: OwnedFd = fd.into();
        self.extra.push((fd.into(), number));
        self
    }

    fn uid(&mut self, user: u32) -> &mut Self {
        self.rights.user = Some(user);
        self
    }

    fn gid(&mut self, group: u32) -> &mut Self {
        self.rights.group = Some(group);
        self
    }

    fn groups(&mut self, groups: &[u32]) -> &mut Self {
        self.rights.groups = Some(groups.to_vec());
        self
    }

    fn umask(&mut self, mask: u32) -> &mut Self {
        self.rights.umask = Some(mask);
        self
    }

    fn process_group(&mut self, group: i32) -> &mut Self {
        self.group = if group == 0 { Group::New } else { Group::Join(group) };
        self
    }

    fn default_signals(&mut self, signals: &[i32]) -> &mut Self {
        self.default_signals = Some(signals.to_vec());
        self
    }
}

impl<T: Into<OwnedFd>> From<T> for Stream {
    fn from(open: T) -> Stream {
        let open: OwnedFd = open.into();
        Stream::open(open.into())
    }
}

impl AsFd for ChildInput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsFd for ChildOutput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl From<ChildInput> for OwnedFd {
    fn from(input: ChildInput) -> OwnedFd {
        input.0.fd
    }
}

impl From<ChildOutput> for OwnedFd {
    fn from(output: ChildOutput) -> OwnedFd {
        output.0.fd
    }
}
