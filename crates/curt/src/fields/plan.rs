use super::Fields;
use crate::sys::Sources;

/// How fresh a value must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Freshness {
    /// Accepts values from the listing, and queries only missing values.
    ///
    /// On Windows the listing has nearly every field, but its values can be outdated for a file
    /// that is open for writing, or was written under another name.
    #[default]
    FromListing,
    /// Queries every field except the name.
    Exact,
}

/// Which symlinks to follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Follow {
    /// Follows no symlink.
    #[default]
    Never,
    /// Follows symlinks in operands only.
    CommandLine,
    /// Follows all symlinks. A broken symlink yields its own metadata.
    ///
    /// A walk also reports an error for a symlink that leads through a file or into an unsearchable
    /// directory. For a symlink loop it yields an error instead of the entry.
    Links,
}

/// The wanted fields of entries, their freshness, and the symlinks to follow.
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
    /// Creates a plan for these fields that accepts values from the listing and follows no symlink.
    pub const fn new(fields: Fields) -> Plan {
        let (freshness, follow) = (Freshness::FromListing, Follow::Never);
        Plan { fields, freshness, follow }
    }

    /// Sets how fresh the values must be.
    pub const fn freshness(self, freshness: Freshness) -> Plan {
        Plan { freshness, ..self }
    }

    /// Sets which symlinks to follow.
    pub const fn follow(self, follow: Follow) -> Plan {
        Plan { follow, ..self }
    }

    /// Returns the fields.
    pub const fn fields(self) -> Fields {
        self.fields
    }

    pub(crate) fn is_in_listings(self, sources: &Sources) -> bool {
        self.freshness != Freshness::Exact && sources.listing.contains(self.fields.needs(sources))
    }
}

impl Fields {
    /// Returns these fields without [`Fields::NAME`], and the fields that they depend on. A user or
    /// group name is looked up by number, unless the security descriptor contains it. Targets and
    /// security descriptors need the kind.
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
