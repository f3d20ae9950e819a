use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Deref;
use std::path::Path;

/// The name of an entry: an [`OsStr`], borrowed on Unix and converted from UTF-16 on Windows.
///
/// It can be compared with strings:
///
/// ```
/// let mut list = curt::list("src")?;
/// while let Some(entry) = list.next() {
///     if entry?.name() == "lib.rs" {
///         println!("found");
///     }
/// }
/// # Ok::<(), curt::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileName<'a>(pub(crate) Cow<'a, OsStr>);

impl FileName<'_> {
    /// Returns the name as an owned string.
    pub fn into_owned(self) -> OsString {
        self.0.into_owned()
    }
}

impl Deref for FileName<'_> {
    type Target = OsStr;

    fn deref(&self) -> &OsStr {
        &self.0
    }
}

impl AsRef<OsStr> for FileName<'_> {
    fn as_ref(&self) -> &OsStr {
        &self.0
    }
}

impl AsRef<Path> for FileName<'_> {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl<'a> From<FileName<'a>> for Cow<'a, OsStr> {
    fn from(name: FileName<'a>) -> Cow<'a, OsStr> {
        name.0
    }
}

impl From<FileName<'_>> for OsString {
    fn from(name: FileName<'_>) -> OsString {
        name.into_owned()
    }
}

impl PartialEq<str> for FileName<'_> {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for FileName<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl PartialEq<OsStr> for FileName<'_> {
    fn eq(&self, other: &OsStr) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&OsStr> for FileName<'_> {
    fn eq(&self, other: &&OsStr) -> bool {
        *self.0 == **other
    }
}

impl fmt::Debug for FileName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
