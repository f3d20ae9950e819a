//! Whose rules a path is read by: any system's, on any system.

/// Whose paths these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Bytes, one separator, one root: Linux, macOS and the BSDs.
    Posix,
    /// 16-bit units, two separators, drives, shares and devices.
    Windows,
}

impl Flavor {
    /// That of the system this was built for.
    pub const NATIVE: Flavor =
        if std::path::MAIN_SEPARATOR == '\\' { Flavor::Windows } else { Flavor::Posix };

    /// The separator that paths of this flavor are written with.
    pub fn separator(self) -> char {
        match self {
            Flavor::Posix => '/',
            Flavor::Windows => '\\',
        }
    }
}

/// Whose rules for the names of DOS devices hold: see [`Flavor::Windows`]. The only rules for path
/// text that changed between releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Release {
    /// Windows 10 and older, and servers up to 2022: a device's name at the end of any path,
    /// whatever extension it has.
    Windows10,
    /// Windows 11 (from build 21000): a device's name that is the whole text; `NUL` at the end of
    /// any path, without an extension.
    Windows11,
}
