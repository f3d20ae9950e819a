//! The fields of an entry and their values.
//!
//! A listing contains name, kind and file number at no extra cost (on Windows also sizes, times and
//! attributes). All fields of `stat` together cost 1 call per entry, and the target costs 1 more
//! per symlink (3 on Windows). On Linux each access right costs 1 more. Access rules, capability
//! and label together cost 1, and the text of a label 1 more. On Windows owners and access rules
//! together cost 3.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-fields-{}", std::process::id()));
//! # std::fs::create_dir_all(&scratch)?;
//! # std::fs::write(scratch.join("file"), "four")?;
//! use curt::fields::Value;
//! use curt::{Fields, Plan};
//!
//! // `scratch` is a directory with a file (4 bytes).
//! let plan = Plan::new(Fields::KIND | Fields::SIZE);
//! let mut list = curt::list::Directory::open(&scratch)?.list(plan);
//! while let Some(entry) = list.next() {
//!     let entry = entry?;
//!     match entry.metadata().size() {
//!         Value::Known(size) => assert_eq!(size, 4),
//!         Value::Failed(error) => eprintln!("{error}"),
//!         Value::Unsupported | Value::NotRequested => println!("unknown"),
//!     }
//! }
//! # drop(list);
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod file_name;
mod kind;
mod metadata;
mod plan;

use std::error;
use std::fmt;
use std::io;
use std::ops;
use std::str::FromStr;

pub use file_name::FileName;
pub use kind::Kind;
pub(crate) use metadata::Facts;
pub use metadata::{Metadata, Time, Value};
pub use plan::{Follow, Freshness, Plan};

use crate::quoted::Quoted;

/// A set of fields of an entry.
///
/// ```
/// use curt::Fields;
/// const SHOWN: Fields = Fields::NAME.union(Fields::SIZE);
/// assert!(SHOWN.contains(Fields::SIZE));
/// assert_eq!(SHOWN | Fields::KIND, "name,kind,size".parse()?);
/// assert_eq!(SHOWN - Fields::NAME, Fields::SIZE);
/// assert_eq!(Fields::ALL - !SHOWN, SHOWN);
/// # Ok::<(), curt::fields::UnknownField>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Fields(u32);

macro_rules! fields {
    ($($(#[$doc:meta])* $bit:literal $constant:ident $name:literal)*) => {
        impl Fields {
            $($(#[$doc])* pub const $constant: Fields = Fields(1 << $bit);)*

            /// All fields.
            pub const ALL: Fields = Fields::NONE$(.union(Fields::$constant))*;

            const NAMES: &[(&str, Fields)] = &[$(($name, Fields::$constant)),*];
        }
    };
}

fields! {
    /// The name, exactly as stored in the directory.
    0 NAME "name"
    /// The kind: see [`Kind`].
    1 KIND "kind"
    /// The file's number within its filesystem (inode number, file id).
    ///
    /// At a mount point, a listing on Unix contains the number of the directory *under* the mount.
    /// [`Freshness::Exact`] queries the number of the mounted directory, as a walk does.
    2 ID "id"
    /// The number of the filesystem (or volume).
    3 DEVICE "device"
    /// The size in bytes.
    4 SIZE "size"
    /// The number of bytes allocated by the filesystem.
    5 ALLOCATED "allocated"
    /// The time of the last access.
    6 ACCESSED "accessed"
    /// The time of the last write to the content.
    7 MODIFIED "modified"
    /// The time of the last change to content or metadata.
    8 CHANGED "changed"
    /// The time of creation.
    9 CREATED "created"
    /// The number of hard links.
    10 LINKS "links"
    /// The file type and permission bits of POSIX.
    11 MODE "mode"
    /// The owner's number.
    12 USER_ID "uid"
    /// The group's number.
    13 GROUP_ID "gid"
    /// The owner's name. A name is looked up once per owner.
    14 USER "user"
    /// The group's name. A name is looked up once per group.
    15 GROUP "group"
    /// The target of a symlink. Queried only for symlinks.
    16 TARGET "target"
    /// The attribute bits of the platform (`FILE_ATTRIBUTE_*`, `STATX_ATTR_*`).
    17 ATTRIBUTES "attributes"
    /// The number of the device that a device file stands for.
    18 DEVICE_NUMBER "rdev"
    /// Whether this process may read the file.
    19 READABLE "readable"
    /// Whether this process may write the file.
    20 WRITABLE "writable"
    /// Whether this process may execute the file, or search the directory.
    21 EXECUTABLE "executable"
    /// Whether the file has access rules beyond the permission bits.
    22 ACL "acl"
    /// Whether the file has capabilities.
    23 CAPABILITY "capability"
    /// The file's label from a security module (`SELinux`, Smack).
    24 LABEL "label"
    /// The preferred block size for reading and writing.
    25 BLOCK_SIZE "block-size"
}

impl Fields {
    /// The empty set.
    pub const NONE: Fields = Fields(0);

    /// Looks up a field by its name, such as `block-size`.
    pub fn named(name: &str) -> Option<Fields> {
        Fields::ALL.iter().find(|&(known, _)| known == name).map(|(_, field)| field)
    }

    /// Returns whether the set contains all of `other`.
    pub const fn contains(self, other: Fields) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether the set contains any of `other`.
    pub const fn intersects(self, other: Fields) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn union(self, other: Fields) -> Fields {
        Fields(self.0 | other.0)
    }

    pub(crate) const fn intersection(self, other: Fields) -> Fields {
        Fields(self.0 & other.0)
    }

    /// Returns the fields of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Fields) -> Fields {
        Fields(self.0 & !other.0)
    }

    /// Iterates over the fields and their names, in the order of their definition.
    pub fn iter(self) -> impl Iterator<Item = (&'static str, Fields)> {
        Fields::NAMES.iter().copied().filter(move |&(_, field)| self.contains(field))
    }
}

macro_rules! operators {
    ($($operator:ident $function:ident $assign:ident $assigned:ident $named:ident,)*) => {
        $(impl ops::$operator for Fields {
            type Output = Fields;

            fn $function(self, other: Fields) -> Fields {
                self.$named(other)
            }
        }

        impl ops::$assign for Fields {
            fn $assigned(&mut self, other: Fields) {
                *self = self.$named(other);
            }
        })*
    };
}

operators! {
    BitOr bitor BitOrAssign bitor_assign union,
    BitAnd bitand BitAndAssign bitand_assign intersection,
    Sub sub SubAssign sub_assign without,
}

impl ops::Not for Fields {
    type Output = Fields;

    fn not(self) -> Fields {
        Fields::ALL - self
    }
}

impl FromIterator<Fields> for Fields {
    fn from_iter<I: IntoIterator<Item = Fields>>(sets: I) -> Fields {
        sets.into_iter().fold(Fields::NONE, Fields::union)
    }
}

impl FromStr for Fields {
    type Err = UnknownField;

    fn from_str(names: &str) -> Result<Fields, UnknownField> {
        let names = names.split(',').filter(|name| !name.is_empty());
        names.map(|name| Fields::named(name).ok_or_else(|| UnknownField(name.into()))).collect()
    }
}

/// The error of parsing [`Fields`] from a string with an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField(String);

impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no field is named {}", Quoted(self.0.as_ref()))
    }
}

impl error::Error for UnknownField {}

impl From<UnknownField> for io::Error {
    fn from(error: UnknownField) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, _)) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fields({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, UnknownField};

    #[test]
    fn operators_are_those_of_sets() {
        let (a, b) = (Fields::NAME | Fields::SIZE, Fields::SIZE | Fields::KIND);
        assert_eq!((a & b, a - b), (Fields::SIZE, Fields::NAME));
        assert_eq!((!Fields::NONE, !Fields::ALL), (Fields::ALL, Fields::NONE));
        assert_eq!((!a & a, !a | a), (Fields::NONE, Fields::ALL));
        let mut all = a;
        all &= b;
        all |= Fields::ID;
        all -= Fields::SIZE;
        assert_eq!(all, Fields::ID);
        assert_eq!([a, b].into_iter().collect::<Fields>(), a | b);
        assert_eq!(a.to_string().parse(), Ok(a));
        assert_eq!("".parse(), Ok(Fields::NONE));
        let unknown = "size,colour".parse::<Fields>();
        assert_eq!(unknown, Err(UnknownField("colour".into())));
        assert_eq!(unknown.unwrap_err().to_string(), "no field is named 'colour'");
    }

    #[test]
    fn every_field_has_its_own_bit_and_name() {
        let mut all = Fields::NONE;
        for (name, field) in Fields::ALL.iter() {
            assert!(!all.intersects(field), "{name}");
            assert_eq!(Fields::named(name), Some(field));
            assert_eq!(field.to_string(), name);
            all |= field;
        }
        assert_eq!((all, all.iter().count()), (Fields::ALL, Fields::NAMES.len()));
        assert_eq!(Fields::named("colour"), None);
        assert_eq!((Fields::SIZE | Fields::NAME).without(Fields::NAME), Fields::SIZE);
    }
}
