//! What is asked about each entry.

use super::Fields;
use crate::sys::Sources;

/// How fresh a value must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Freshness {
    /// Values from the listing are good enough; the rest is asked for. On Windows the listing has
    /// nearly everything, and may be out of date for a file that is open for writing, or that was
    /// written under another name.
    #[default]
    FromListing,
    /// Everything but the name is asked for, even if the listing has it.
    Exact,
}

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Follow {
    /// None: the metadata is that of the link itself.
    #[default]
    Never,
    /// Operands only.
    CommandLine,
    /// All. A broken link yields its own metadata. (A walk also reports an error for a link that
    /// leads through a file or into a directory that may not be searched, and yields only the error
    /// for a link loop.)
    Links,
}

/// The fields that are wanted of each entry, how fresh they must be, and which links are followed.
///
/// ```
/// use curt::{Fields, Plan};
/// let plan = Plan::new(Fields::NAME | Fields::SIZE);
/// assert!(plan.fields().contains(Fields::SIZE));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "a plan does nothing until something is asked with it"]
pub struct Plan {
    pub(crate) fields: Fields,
    pub(crate) freshness: Freshness,
    pub(crate) follow: Follow,
}

impl From<Fields> for Plan {
    fn from(fields: Fields) -> Plan {
        Plan::new(fields)
    }
}

impl Plan {
    /// Creates a plan for these fields, from the listing if it has them, that follows no link.
    pub const fn new(fields: Fields) -> Plan {
        let (freshness, follow) = (Freshness::FromListing, Follow::Never);
        Plan { fields, freshness, follow }
    }

    /// Chooses how fresh the values must be.
    pub const fn freshness(self, freshness: Freshness) -> Plan {
        Plan { freshness, ..self }
    }

    /// Chooses which links are followed.
    pub const fn follow(self, follow: Follow) -> Plan {
        Plan { follow, ..self }
    }

    /// Returns the fields.
    pub const fn fields(self) -> Fields {
        self.fields
    }

    /// Whether listings carry everything that is wanted, and it may be taken from them.
    pub(crate) fn is_in_listings(self, sources: &Sources) -> bool {
        self.freshness != Freshness::Exact && sources.listing.contains(self.fields.needs(sources))
    }
}

impl Fields {
    /// Returns what has to be known for these fields: the number of an owner for its name, unless
    /// the security descriptor has the name; the kind for the target of a link, and for the
    /// security descriptor.
    pub(crate) fn needs(self, sources: &Sources) -> Fields {
        let mut needs = self.without(Fields::NAME);
        for (name, number) in [(Fields::USER, Fields::USER_ID), (Fields::GROUP, Fields::GROUP_ID)] {
            let is_by_number = sources.query.contains(number) && !sources.secured.contains(name);
            if self.contains(name) && is_by_number {
                needs |= number;
            }
        }
        if self.contains(Fields::TARGET) || self.intersects(sources.secured) {
            needs |= Fields::KIND;
        }
        needs
    }
}

#[cfg(test)]
mod tests {
    use super::Fields;
    use crate::sys::Sources;

    #[test]
    fn fields_need_what_they_are_made_of() {
        let unix = Sources {
            listing: Fields::KIND | Fields::ID,
            query: Fields::SIZE | Fields::USER_ID | Fields::GROUP_ID | Fields::KIND,
            extended: Fields::ACL | Fields::LABEL,
            secured: Fields::NONE,
        };
        let name_and_size = Fields::NAME | Fields::SIZE;
        assert_eq!(name_and_size.needs(&unix), Fields::SIZE);
        assert_eq!(Fields::USER.needs(&unix), Fields::USER | Fields::USER_ID);
        assert_eq!(Fields::TARGET.needs(&unix), Fields::TARGET | Fields::KIND);
        let secured = Sources { secured: Fields::USER | Fields::ACL, ..unix };
        assert_eq!(Fields::USER.needs(&secured), Fields::USER | Fields::KIND);
    }
}
