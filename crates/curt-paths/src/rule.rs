/// A recorder of applied rules. `()` discards them at no cost.
pub(crate) trait Trace {
    fn note(&mut self, rule: Rule);
}

impl Trace for () {
    #[inline]
    fn note(&mut self, _: Rule) {}
}

impl Trace for Vec<Rule> {
    fn note(&mut self, rule: Rule) {
        if !self.contains(&rule) {
            self.push(rule);
        }
    }
}

macro_rules! rules {
    ($($(#[doc = $meaning:literal])+ $rule:ident = $word:literal,)+) => {
        /// A rule applied by an expansion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $meaning])+ $rule,)+
        }

        impl Rule {
            /// Returns a short name.
            pub fn word(self) -> &'static str {
                match self { $(Rule::$rule => $word),+ }
            }

            /// Returns an explanation in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Rule::$rule => concat!($($meaning),+).trim_ascii_start()),+ }
            }
        }
    };
}

rules! {
    /// Nothing had to be changed.
    Clean = "clean",
    /// The path begins with `\\?\` or `\??\` and is returned unchanged.
    Verbatim = "verbatim",
    /// The last component names a DOS device, which replaces the whole path.
    Device = "device",
    /// The path begins with `\\.\` or `\\?\`: these four characters are the root.
    DeviceRoot = "device-root",
    /// The path begins with a server and a share, which are the root.
    Share = "share",
    /// The path begins with a drive and a separator.
    Drive = "drive",
    /// The path begins with a slash.
    Root = "root",
    /// Exactly two leading slashes are kept: POSIX leaves their meaning to the system.
    TwoSlashes = "two-slashes",
    /// Ruby keeps all leading slashes.
    LeadingSlashes = "leading-slashes",
    /// The path starts at the root of the drive or share of the base or working directory.
    Rooted = "rooted",
    /// The path starts from the base.
    Base = "base",
    /// The path starts from the working directory.
    WorkingDirectory = "working-directory",
    /// The path starts from the working directory of its drive.
    DriveDirectory = "drive-directory",
    /// No working directory is known for its drive, so the path starts from the drive's root.
    DriveRoot = "drive-root",
    /// The base is on another drive and is not used.
    BaseIgnored = "base-ignored",
    /// The tilde stands for the home directory.
    Home = "home",
    /// The tilde and a name stand for the home directory of that user.
    UserHome = "user-home",
    /// Slashes became backslashes.
    Backslashes = "backslashes",
    /// Several separators became one.
    Runs = "runs",
    /// `.` was removed.
    Dot = "dot",
    /// `..` removed a name.
    DotDot = "dot-dot",
    /// `..` was kept.
    DotDotKept = "dot-dot-kept",
    /// `..` at the root did nothing.
    Clamped = "clamped",
    /// A name before a separator lost its single trailing dot.
    InnerDot = "inner-dot",
    /// The last component lost its trailing dots and spaces.
    Trimmed = "trimmed",
    /// The last component was only dots and spaces; just the separator before it remains.
    Vanished = "vanished",
    /// The trailing separator was kept.
    TrailingKept = "trailing-kept",
    /// The trailing separator was dropped.
    TrailingDropped = "trailing-dropped",
    /// Ruby drops `:$DATA`, the default stream.
    DataStream = "data-stream",
    /// Ruby writes slashes instead of backslashes.
    Slashes = "slashes",
}
