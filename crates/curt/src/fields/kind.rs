//! What an entry is.

/// The kind of a directory entry, as the directory itself tells it: never that of a link's target,
/// unless following was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket in the file system.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A mark of a union file system that hides an entry of a lower layer.
    Whiteout,
    /// Windows: a directory that leads to another directory. A listing has the same tag for a
    /// volume that is mounted: a plan without [`Fields::TARGET`](crate::Fields::TARGET) tells of
    /// both as this.
    Junction,
    /// Windows: a directory in which a volume is mounted. Only its target tells that, so it is told
    /// where the plan has [`Fields::TARGET`](crate::Fields::TARGET): three calls for each link,
    /// none for an entry.
    VolumeMount,
    /// Windows: a plain file that Cygwin takes for a symbolic link, and nobody else. Told where the
    /// plan has [`Plan::cygwin_links`](crate::Plan::cygwin_links).
    CygwinSymlink,
    /// Windows: a symbolic link that the Linux subsystem made.
    WslSymlink,
    /// Windows: a file that starts an application from the Store.
    AppExecLink,
    /// Windows: another reparse point that stands for something else, with its tag.
    Reparse(u32),
    /// The file system did not say, and nobody asked further.
    #[default]
    Unknown,
}

impl Kind {
    /// Whether it is a directory.
    pub fn is_dir(self) -> bool {
        self == Kind::Directory
    }

    /// Whether it is a regular file.
    pub fn is_file(self) -> bool {
        self == Kind::File
    }

    /// Whether it is a symbolic link.
    pub fn is_symlink(self) -> bool {
        self == Kind::Symlink
    }

    /// Whether it leads to another place: opening it would open something else (with
    /// [`Kind::CygwinSymlink`], in the eyes of Cygwin).
    pub fn is_link(self) -> bool {
        matches!(
            self,
            Kind::Symlink
                | Kind::Junction
                | Kind::VolumeMount
                | Kind::CygwinSymlink
                | Kind::WslSymlink
                | Kind::AppExecLink
                | Kind::Reparse(_)
        )
    }

    /// A word for it, as `curt walk --json` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Directory => "directory",
            Kind::Symlink => "symlink",
            Kind::Fifo => "fifo",
            Kind::Socket => "socket",
            Kind::CharacterDevice => "character-device",
            Kind::BlockDevice => "block-device",
            Kind::Whiteout => "whiteout",
            Kind::Junction => "junction",
            Kind::VolumeMount => "volume-mount",
            Kind::CygwinSymlink => "cygwin-symlink",
            Kind::WslSymlink => "wsl-symlink",
            Kind::AppExecLink => "app-exec-link",
            Kind::Reparse(_) => "reparse-point",
            Kind::Unknown => "unknown",
        }
    }
}
