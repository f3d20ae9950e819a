//! Owners' account names, and explicit access rules: [`Fields::ACL`] is set if at least one rule
//! was not inherited. Nearly all entries have inherited rules.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::BorrowedHandle;
use std::sync::Arc;

use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, GROUP_SECURITY_INFORMATION, INHERITED_ACE,
    OWNER_SECURITY_INFORMATION,
};
use windows_sys::Win32::Storage::FileSystem::READ_CONTROL;

use super::dir::Dir;
use super::status::{Result, Status};
use super::syscalls::Syscalls;
use super::{ABOUT, FOLLOW};
use crate::fields::{Facts, Fields};
use crate::name::Name;
use crate::sys::Owners;

pub(super) type Accounts = RefCell<BTreeMap<Vec<u32>, Arc<OsString>>>;

/// In 8-byte words. Longer descriptors are read again.
const CAPACITY: usize = 128;
const MOST: usize = 1 << 20;

/// Makes 3 system calls, and 1 for each new name.
pub(super) fn owners(
    syscalls: &Syscalls,
    accounts: &Accounts,
    parent: &Dir,
    name: Name<'_, u16>,
    fields: Fields,
    facts: &Facts,
) -> Result<Owners> {
    let spelled = parent.spelled(name);
    // If the kind is known and not a link, the query followed the link, or there was none.
    let was_followed = facts.known.contains(Fields::KIND) && !facts.kind.is_link();
    let options = if was_followed { FOLLOW } else { ABOUT };
    let descriptor =
        syscalls.opened(parent.target(&spelled), READ_CONTROL, options, |handle| {
            descriptor(syscalls, handle, fields)
        })??;
    let Some(descriptor) = descriptor else { return Ok(Owners::default()) };
    let named = |field, at| {
        if !fields.contains(field) {
            return None;
        }
        Some(account(syscalls, accounts, &descriptor.identifier(at)?))
    };
    Ok(Owners {
        user: named(Fields::USER, OWNER),
        group: named(Fields::GROUP, GROUP),
        acl: fields.contains(Fields::ACL).then(|| descriptor.has_explicit_rules()),
    })
}

/// Returns `None` if the filesystem has no owners.
fn descriptor(
    syscalls: &Syscalls,
    handle: BorrowedHandle<'_>,
    fields: Fields,
) -> Result<Option<Descriptor>> {
    let mut parts = 0;
    for (field, part) in [
        (Fields::USER, OWNER_SECURITY_INFORMATION),
        (Fields::GROUP, GROUP_SECURITY_INFORMATION),
        (Fields::ACL, DACL_SECURITY_INFORMATION),
    ] {
        if fields.contains(field) {
            parts |= part;
        }
    }
    let mut buffer = vec![0_u64; CAPACITY];
    loop {
        match syscalls.query_security(handle, parts, &mut buffer) {
            Ok(_) => {
                return Ok(Some(Descriptor(
                    buffer.iter().flat_map(|word| word.to_ne_bytes()).collect(),
                )));
            }
            Err((Status::BUFFER_TOO_SMALL, wanted))
                if wanted > buffer.len() * 8 && wanted < MOST =>
            {
                buffer = vec![0; wanted.div_ceil(8)];
            }
            Err((status, _)) if status.is_refusal() => return Ok(None),
            Err((status, _)) => return Err(status),
        }
    }
}

/// Returns `DOMAIN\name`, or the identifier of an account without a name.
fn account(syscalls: &Syscalls, accounts: &Accounts, sid: &[u32]) -> Arc<OsString> {
    if let Some(known) = accounts.borrow().get(sid) {
        return known.clone();
    }
    let name = match syscalls.look_up_account(sid) {
        Some((name, domain)) if domain.is_empty() => OsString::from_wide(&name),
        Some((name, domain)) => {
            OsString::from_wide(&[&domain[..], &[b'\\'.into()], &name].concat())
        }
        None => spelled(sid).into(),
    };
    let name = Arc::new(name);
    accounts.borrow_mut().insert(sid.to_vec(), name.clone());
    name
}

/// Returns text such as `S-1-5-32-544`.
fn spelled(sid: &[u32]) -> String {
    let bytes: Vec<u8> = sid.iter().flat_map(|word| word.to_le_bytes()).collect();
    let authority = bytes[2..8].iter().fold(0_u64, |number, &byte| (number << 8) | u64::from(byte));
    let mut text = format!("S-{}-{authority}", bytes[0]);
    for part in &sid[2..] {
        let _ = write!(text, "-{part}");
    }
    text
}

/// A self-relative security descriptor.
struct Descriptor(Vec<u8>);

const OWNER: usize = 4;
const GROUP: usize = 8;
const RULES: usize = 16;

impl Descriptor {
    fn u16(&self, at: usize) -> Option<u16> {
        let bytes = self.0.get(at..at.checked_add(2)?)?;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn part(&self, at: usize) -> Option<usize> {
        let place = usize::from(self.u16(at)?) | (usize::from(self.u16(at + 2)?) << 16);
        Some(place).filter(|&place| place != 0)
    }

    fn identifier(&self, at: usize) -> Option<Vec<u32>> {
        let place = self.part(at)?;
        let parts = usize::from(*self.0.get(place.checked_add(1)?)?);
        let bytes = self.0.get(place..place.checked_add(8 + 4 * parts)?)?;
        let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Some(bytes.chunks_exact(4).map(word).collect())
    }

    fn has_explicit_rules(&self) -> bool {
        self.explicit_rule().unwrap_or(false)
    }

    /// Returns `None` without a list, or for a malformed rule.
    fn explicit_rule(&self) -> Option<bool> {
        let list = self.part(RULES)?;
        let mut at = list.checked_add(8)?;
        for _ in 0..self.u16(list.checked_add(4)?)? {
            let flags = *self.0.get(at.checked_add(1)?)?;
            if u32::from(flags) & INHERITED_ACE == 0 {
                return Some(true);
            }
            at += usize::from(self.u16(at + 2)?);
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::{Descriptor, GROUP, OWNER, spelled};

    const ADMINISTRATORS: [u8; 16] = [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0];

    fn descriptor(rules: Option<&[u8]>) -> Descriptor {
        let mut bytes = vec![1, 0, 4, 0x80, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend([if rules.is_some() { 36 } else { 0 }, 0, 0, 0]);
        bytes.extend(ADMINISTRATORS);
        if let Some(flags) = rules {
            bytes.extend([2, 0, 0, 0, flags.len() as u8, 0, 0, 0]);
            for &flag in flags {
                bytes.extend([0, flag, 24, 0, 0xff, 1, 0x1f, 0]);
                bytes.extend(ADMINISTRATORS);
            }
        }
        Descriptor(bytes)
    }

    #[test]
    fn identifiers_are_read_and_spelled() {
        let descriptor = descriptor(None);
        let owner = descriptor.identifier(OWNER).unwrap();
        assert_eq!(spelled(&owner), "S-1-5-32-544");
        assert_eq!(descriptor.identifier(GROUP), None);
    }

    #[test]
    fn explicit_rules_are_those_that_were_not_inherited() {
        for (rules, expected) in [
            (None, false),
            (Some(&[][..]), false),
            (Some(&[0x10, 0x13]), false),
            (Some(&[0x10, 0]), true),
            (Some(&[3]), true),
        ] {
            assert_eq!(descriptor(rules).has_explicit_rules(), expected, "{rules:?}");
        }
    }

    #[test]
    fn a_malformed_descriptor_gives_nothing() {
        let whole = descriptor(Some(&[0x10, 0]));
        for length in 0..whole.0.len() {
            let cut = Descriptor(whole.0[..length].to_vec());
            let _ = cut.has_explicit_rules();
            assert_eq!(cut.identifier(OWNER).is_some(), length >= 36, "{length}");
        }
    }
}
