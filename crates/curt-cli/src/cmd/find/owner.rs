use std::ffi::OsStr;

use curt::{Fields, Metadata};

use crate::quote::quote;
use crate::sys;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Owner {
    user: Option<String>,
    group: Option<String>,
}

impl Owner {
    pub(super) fn parse(text: &str) -> Result<Owner, String> {
        if text.starts_with('!') {
            let instead = "a test cannot be negated; filter the output of --fields user,path";
            return Err(format!("invalid owner {}: {instead}", quote(text)));
        }
        let (user, group) = text.split_once(':').unwrap_or((text, ""));
        let some = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let owner = Owner { user: some(user), group: some(group) };
        if owner.user.is_none() && owner.group.is_none() {
            let expected = "expected USER, USER:GROUP or :GROUP";
            return Err(format!("invalid owner {}: {expected}", quote(text)));
        }
        for (name, exists, kind) in [
            (&owner.user, sys::has_user as fn(&str) -> bool, "user"),
            (&owner.group, sys::has_group, "group"),
        ] {
            if let Some(name) = name.as_deref().filter(|name| !is_number(name) && !exists(name)) {
                return Err(format!("unknown {kind} {}", quote(name)));
            }
        }
        Ok(owner)
    }

    /// Returns the fields for the test: the ID, and the name unless the option gives a number.
    pub(super) fn fields(&self) -> Fields {
        let of = |name: &Option<String>, id: Fields, named: Fields| match name.as_deref() {
            None => Fields::NONE,
            Some(name) if is_number(name) => id,
            Some(_) => named | id,
        };
        of(&self.user, Fields::USER_ID, Fields::USER)
            | of(&self.group, Fields::GROUP_ID, Fields::GROUP)
    }

    pub(super) fn matches(&self, metadata: &Metadata) -> bool {
        let is = |wanted: &Option<String>, id: Option<u32>, name: Option<&OsStr>| {
            wanted.as_deref().is_none_or(|wanted| {
                id.is_some_and(|id| id.to_string() == wanted)
                    || name.is_some_and(|name| name == wanted)
            })
        };
        is(&self.user, metadata.user_id().known(), metadata.user().known())
            && is(&self.group, metadata.group_id().known(), metadata.group().known())
    }
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}
