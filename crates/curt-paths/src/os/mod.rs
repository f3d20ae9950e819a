//! Native paths: bytes on Unix, and 16-bit units on Windows.
#![cfg(any(unix, windows))]

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::check::{PathCheck, Refusal};
use crate::expander::Expander;
use crate::options::ExpandError;
use crate::unit::{Internal, PathText};

#[cfg(unix)]
type NativeUnit = u8;
#[cfg(windows)]
type NativeUnit = u16;

#[cfg(unix)]
fn units(path: &Path) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().into()
}

#[cfg(windows)]
fn units(path: &Path) -> Cow<'_, [u16]> {
    use std::os::windows::ffi::OsStrExt;
    path.as_os_str().encode_wide().collect()
}

#[cfg(unix)]
fn path(units: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(units).into()
}

#[cfg(windows)]
#[allow(clippy::needless_pass_by_value, reason = "Unix keeps the units")]
fn path(units: Vec<u16>) -> PathBuf {
    use std::os::windows::ffi::OsStringExt;
    OsString::from_wide(&units).into()
}

impl Expander {
    /// Returns the full path of a native path, borrowed if unchanged.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// use std::path::Path;
    /// use curt_paths::{Env, Expander};
    /// let expander = Expander::new(Env::none().cwd("/here"));
    /// assert_eq!(expander.expand_path("a/./b").unwrap(), Path::new("/here/a/b"));
    /// # }
    /// ```
    pub fn expand_path<'t, P>(&self, path: &'t P) -> Result<Cow<'t, Path>, ExpandError>
    where
        P: AsRef<Path> + ?Sized,
    {
        let path = path.as_ref();
        if self.is_clean(path.as_os_str().as_encoded_bytes()) {
            return Ok(Cow::Borrowed(path));
        }
        let units = units(path);
        Ok(match self.expand(&units)? {
            Cow::Borrowed(_) => Cow::Borrowed(path),
            Cow::Owned(full) => Cow::Owned(self::path(full)),
        })
    }
}

impl PathCheck {
    /// Checks a native path.
    ///
    /// ```
    /// use curt_paths::{Flavor, PathCheck, Refusal};
    /// let check = PathCheck::new(Flavor::NATIVE);
    /// assert_eq!(check.check_path("img/logo.png"), Ok(()));
    /// assert_eq!(check.check_path("img/../../x"), Err(Refusal::Escape));
    /// ```
    pub fn check_path(&self, path: impl AsRef<Path>) -> Result<(), Refusal> {
        self.check(&units(path.as_ref()))
    }
}

impl PathText {
    /// Returns the text as a native path. Fails with [`ExpandError::Encoding`] if it is not one.
    pub fn to_path(&self) -> Result<PathBuf, ExpandError> {
        Ok(path(NativeUnit::of(self)?.into_owned()))
    }
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        units(path).into_owned().into()
    }
}

impl From<PathBuf> for PathText {
    fn from(path: PathBuf) -> Self {
        path.as_path().into()
    }
}
