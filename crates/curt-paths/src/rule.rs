//! Which rules shaped a result.

/// Told which rules fire. The unit type listens to none, at no cost.
pub(crate) trait Listener {
    fn fired(&mut self, rule: Rule);
}

impl Listener for () {
    #[inline]
    fn fired(&mut self, _: Rule) {}
}

/// Each once, in the order in which they fired first.
impl Listener for Vec<Rule> {
    fn fired(&mut self, rule: Rule) {
        if !self.contains(&rule) {
            self.push(rule);
        }
    }
}

macro_rules! rules {
    ($($(#[doc = $meaning:literal])+ $rule:ident = $word:literal,)+) => {
        /// A rule that had a part in an expansion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $meaning])+ $rule,)+
        }

        impl Rule {
            /// All of them.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule),+];

            /// In a word or two.
            pub fn word(self) -> &'static str {
                match self { $(Rule::$rule => $word),+ }
            }

            /// In a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Rule::$rule => concat!($($meaning),+).trim_ascii_start()),+ }
            }
        }
    };
}

rules! {
    /// Nothing had to be changed.
    Clean = "clean",
    /// It begins with `\\?\` or `\??\` and is handed back untouched.
    Verbatim = "verbatim",
    /// A DOS device is named, which takes the place of the whole path.
    Device = "device",
    /// It begins with `\\.\` or `\\?\`: these four characters are the root.
    DeviceRoot = "device-root",
    /// It begins with a server and a share: these are the root.
    Share = "share",
    /// It begins with a drive and a separator.
    Drive = "drive",
    /// It begins with a slash.
    Root = "root",
    /// Exactly two slashes at the beginning are kept: POSIX leaves their meaning to the system.
    TwoSlashes = "two-slashes",
    /// Ruby keeps the slashes at the beginning as they are.
    LeadingSlashes = "leading-slashes",
    /// It starts at the root of the drive or share of the directory it goes on from.
    Rooted = "rooted",
    /// It goes on from the base.
    Base = "base",
    /// It goes on from the working directory.
    WorkingDirectory = "working-directory",
    /// It goes on from the working directory of its drive.
    DriveDirectory = "drive-directory",
    /// No working directory is known for its drive: it goes on from the drive's root.
    DriveRoot = "drive-root",
    /// The base lies on another drive and is not looked at.
    BaseIgnored = "base-ignored",
    /// The tilde stands for the home directory.
    Home = "home",
    /// The tilde and a name stand for the home directory of that user.
    UserHome = "user-home",
    /// Slashes became backslashes.
    Backslashes = "backslashes",
    /// Several separators became one.
    Runs = "runs",
    /// `.` was left out.
    Dot = "dot",
    /// `..` took a name away.
    DotDot = "dot-dot",
    /// `..` stayed.
    DotDotKept = "dot-dot-kept",
    /// `..` at the root did nothing.
    Clamped = "clamped",
    /// A name inside lost the one dot at its end.
    InnerDot = "inner-dot",
    /// The last name lost the dots and spaces at its end.
    Trimmed = "trimmed",
    /// The last name was nothing but dots and spaces, and a separator is left of it.
    Vanished = "vanished",
    /// The separator at the end stayed.
    TrailingKept = "trailing-kept",
    /// The separator at the end was left out.
    TrailingDropped = "trailing-dropped",
    /// Ruby leaves out `:$DATA`, the default stream.
    DataStream = "data-stream",
    /// Ruby writes slashes.
    Slashes = "slashes",
}
