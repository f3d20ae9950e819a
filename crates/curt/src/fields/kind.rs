/// The kind of an entry. For a link, the kind of the link itself, unless links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symlink.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket in the filesystem.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A whiteout: an entry of a union filesystem that hides an entry of a lower layer.
    Whiteout,
    /// Windows: a directory that stands for another directory.
    ///
    /// A mounted volume has the same tag in listings, so it also has this kind unless
    /// [`Fields::TARGET`](crate::Fields::TARGET) is in the plan.
    Junction,
    /// Windows: a directory where a volume is mounted.
    ///
    /// Recognized only with [`Fields::TARGET`](crate::Fields::TARGET) in the plan, which costs
    /// three calls per link.
    VolumeMount,
    /// Windows: a symlink created by the Linux subsystem.
    WslSymlink,
    /// Windows: a file that starts an application from the Store.
    AppExecLink,
    /// Windows: any other reparse point that stands for another file. Contains its tag.
    Reparse(u32),
    /// Unknown: the listing has no kind, and the kind was not queried.
    #[default]
    Unknown,
}

impl Kind {
    /// Returns whether this is a directory.
    pub fn is_dir(self) -> bool {
        self == Kind::Directory
    }

    /// Returns whether this is a regular file.
    pub fn is_file(self) -> bool {
        self == Kind::File
    }

    /// Returns whether this is a symlink.
    pub fn is_symlink(self) -> bool {
        self == Kind::Symlink
    }

    /// Returns whether this is any kind of link. Opening a link opens another file.
    pub fn is_link(self) -> bool {
        matches!(
            self,
            Kind::Symlink
                | Kind::Junction
                | Kind::VolumeMount
                | Kind::WslSymlink
                | Kind::AppExecLink
                | Kind::Reparse(_)
        )
    }

    /// Returns a word for the kind, as printed by `curt find --json`.
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
            Kind::WslSymlink => "wsl-symlink",
            Kind::AppExecLink => "app-exec-link",
            Kind::Reparse(_) => "reparse-point",
            Kind::Unknown => "unknown",
        }
    }
}
