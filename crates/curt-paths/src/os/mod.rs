//! Paths of this system, where it is known what they are made of.
#![cfg(any(unix, windows))]

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use unix as imp;
#[cfg(windows)]
use windows as imp;

use crate::expander::Expander;
use crate::options::ExpandError;
use crate::text::{PathText, Units};
use crate::unit::Internal;

impl Expander {
    /// The full path of a path of this system; borrowed if it is that already.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// use std::path::Path;
    /// use curt_paths::{Env, Expander};
    /// let expander = Expander::new(Env::none().cwd("/here"));
    /// assert_eq!(expander.expand_path(Path::new("a/./b")).unwrap(), Path::new("/here/a/b"));
    /// # }
    /// ```
    pub fn expand_path<'t>(&self, path: &'t Path) -> Result<Cow<'t, Path>, ExpandError> {
        if self.is_clean(path.as_os_str().as_encoded_bytes()) {
            return Ok(Cow::Borrowed(path));
        }
        let units = imp::units(path);
        Ok(match self.expand(&units)? {
            Cow::Borrowed(_) => Cow::Borrowed(path),
            Cow::Owned(full) => Cow::Owned(imp::path(full)),
        })
    }
}

impl PathText {
    /// The text as a path of this system. [`ExpandError::Encoding`] if it cannot be one.
    pub fn to_path(&self) -> Result<PathBuf, ExpandError> {
        // Whatever their encoding, bytes are a path where paths are bytes.
        let units = match &self.units {
            Units::Bytes(bytes) => imp::Unit::of(&Units::Bytes(bytes.clone()).into())?.into_owned(),
            Units::Wide(_) => imp::Unit::of(self)?.into_owned(),
        };
        Ok(imp::path(units))
    }
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        imp::units(path).into_owned().into()
    }
}

impl From<PathBuf> for PathText {
    fn from(path: PathBuf) -> Self {
        path.as_path().into()
    }
}
