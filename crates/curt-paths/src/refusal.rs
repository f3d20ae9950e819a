//! Why an untrusted path is refused.

use std::fmt;

/// Why a path was refused: one reason, the first of those that hold, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no text.
    Empty,
    /// A NUL is in it: `a\0.png`.
    Nul,
    /// It is no text of its flavor: `a\xff` as a Windows path.
    Encoding,
    /// It begins as the path of a device (`\\.\pipe\x`, `\\?\C:\x`, `\??\C:\x`), or a name in it is one
    /// (`nul.txt`, `com¹`).
    Device,
    /// It begins at a root: `/etc/passwd`, `\windows`, `\\server\share`.
    Absolute,
    /// It names a drive: `C:\x`, `C:x`.
    Drive,
    /// A colon is in it, as that before a stream of a file: `x::$DATA`, `a/c:`.
    Stream,
    /// A character that names cannot have: `a*`, `a|b`, a control character.
    BadChar,
    /// It leaves the root: `../x`, an absolute link, a link to `../..`.
    Escape,
    /// Dots or spaces end a name, which Windows drops: `.htaccess.`, `x. /y`.
    Trailing,
    /// It looks like the short name of something else: `HTACCE~1`.
    ShortName,
    /// It leads through a link where links are refused, or through one that no text describes: a magic
    /// link such as `/proc/self/exe`, a reparse point of an unknown kind.
    Link,
}

impl Refusal {
    /// The word for it: `empty`, `nul`, `encoding`, `device`, `absolute`, `drive`, `stream`, `badchar`,
    /// `escape`, `trailing`, `shortname`, `link`.
    pub fn name(self) -> &'static str {
        match self {
            Refusal::Empty => "empty",
            Refusal::Nul => "nul",
            Refusal::Encoding => "encoding",
            Refusal::Device => "device",
            Refusal::Absolute => "absolute",
            Refusal::Drive => "drive",
            Refusal::Stream => "stream",
            Refusal::BadChar => "badchar",
            Refusal::Escape => "escape",
            Refusal::Trailing => "trailing",
            Refusal::ShortName => "shortname",
            Refusal::Link => "link",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused: ")?;
        f.write_str(self.name())
    }
}
