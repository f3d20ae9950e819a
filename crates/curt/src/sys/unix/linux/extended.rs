//! Extended attributes: one call lists their names, another reads the label. Both take paths, so
//! entries are reached through `/proc` (`descriptor.rs`). `listxattrat` needs Linux 6.13, and
//! filters refuse it.

use std::ffi::{CStr, CString, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;

use rustix::io::{Errno, Result};

use super::descriptor;
use crate::fields::Fields;
use crate::name::Name;
use crate::sys::Extended;
use crate::sys::unix::Unix;
use crate::sys::unix::dir::{Dir, text};

pub(super) const CAPACITY: usize = 1024;

/// Only the first label present is read.
const LABELS: [&[u8]; 2] = [b"security.selinux", b"security.SMACK64"];
pub(super) const ACLS: [&[u8]; 3] =
    [b"system.posix_acl_access", b"system.posix_acl_default", b"system.nfs4_acl"];
const CAPABILITY: &[u8] = b"security.capability";

impl Unix {
    pub(in crate::sys::unix) fn read_extended(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        fields: Fields,
        follow: bool,
        device: Option<u64>,
    ) -> io::Result<Option<Extended>> {
        let refused = &self.native.without_extended;
        if device.is_some_and(|device| refused.borrow().contains(&device)) {
            return Ok(None);
        }
        let names = match self
            .at_entry(parent, name, |path| self.syscalls.list_attributes(path, follow, CAPACITY))
        {
            Ok(names) => names,
            Err(Errno::NOTSUP) => {
                refused.borrow_mut().extend(device);
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let has = |wanted: &[u8]| names.split(|&byte| byte == 0).any(|name| name == wanted);
        let mut extended = Extended::default();
        if ACLS.iter().any(|name| has(name)) {
            extended.present |= Fields::ACL;
        }
        if has(CAPABILITY) {
            extended.present |= Fields::CAPABILITY;
        }
        let label = LABELS.iter().find(|name| has(name));
        if let Some(&label) = label.filter(|_| fields.contains(Fields::LABEL)) {
            let label = CString::new(label).unwrap_or_default();
            let get = |path: &CStr| self.syscalls.attribute(path, follow, &label, CAPACITY);
            let mut value = self.at_entry(parent, name, get)?;
            while value.last() == Some(&0) {
                value.pop();
            }
            extended.label = Some(OsString::from_vec(value));
        }
        Ok(Some(extended))
    }

    fn at_entry<T>(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        mut call: impl FnMut(&CStr) -> Result<T>,
    ) -> Result<T> {
        let name = text(name);
        if parent.is_working() {
            return call(name);
        }
        descriptor::by_path(&self.syscalls, parent.as_fd(), &[b"/", name.to_bytes()].concat(), call)
    }
}
