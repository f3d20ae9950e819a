use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{Fields, Kind};
use crate::error::{Error, Operation};

/// A point in time: seconds since 1970 (UTC) and nanoseconds.
///
/// ```
/// use std::time::SystemTime;
///
/// use curt::fields::Time;
///
/// let time = Time { seconds: 951_782_400, nanoseconds: 5 };
/// assert_eq!(time.to_string(), "2000-02-29T00:00:00.000000005Z");
/// assert!(time < Time::from(SystemTime::now()));
/// assert_eq!(Time::default().to_system_time(), Some(SystemTime::UNIX_EPOCH));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Whole seconds since 1970-01-01 00:00:00 UTC, rounded down; negative before that.
    pub seconds: i64,
    /// Nanoseconds after that second, below 1,000,000,000.
    pub nanoseconds: u32,
}

impl Time {
    /// Converts to [`SystemTime`]. Returns `None` for a time outside its range, as on Windows
    /// before 1601.
    pub fn to_system_time(self) -> Option<SystemTime> {
        let whole = Duration::from_secs(self.seconds.unsigned_abs());
        let fraction = Duration::from_nanos(self.nanoseconds.into());
        let whole = if self.seconds < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(whole)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(whole)
        };
        whole?.checked_add(fraction)
    }
}

/// Formats the time in UTC according to RFC 3339: `2024-02-29T12:00:00.000000000Z`. Years before 0
/// and after 9999 have a sign.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, second) = (self.seconds.div_euclid(86_400), self.seconds.rem_euclid(86_400));
        // Count years from March, so that the leap day comes last.
        let days = days + 719_468;
        let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let year = cycle * 400 + year + i64::from(month >= 10);
        let month = if month < 10 { month + 3 } else { month - 9 };
        match year {
            0..=9999 => write!(f, "{year:04}")?,
            _ => write!(f, "{year:+05}")?,
        }
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        let nanoseconds = self.nanoseconds;
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanoseconds:09}Z")
    }
}

impl From<SystemTime> for Time {
    fn from(time: SystemTime) -> Time {
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => Time {
                seconds: 0_i64.saturating_add_unsigned(since.as_secs()),
                nanoseconds: since.subsec_nanos(),
            },
            Err(before) => {
                let before = before.duration();
                let nanoseconds = before.subsec_nanos();
                let seconds = 0_i64.saturating_sub_unsigned(before.as_secs());
                let seconds = seconds.saturating_sub((nanoseconds > 0).into());
                Time { seconds, nanoseconds: (1_000_000_000 - nanoseconds) % 1_000_000_000 }
            }
        }
    }
}

/// The value of one field, or the reason it is missing.
///
/// ```
/// use curt::fields::{Fields, Value};
///
/// let metadata = curt::stat("src", Fields::SIZE | Fields::CREATED)?;
/// match metadata.created() {
///     Value::Known(time) => println!("created {time}"),
///     Value::Unsupported => println!("the file system does not keep it"),
///     Value::Failed(error) => println!("{error}"),
///     Value::NotRequested => unreachable!("the plan names it"),
/// }
/// let bytes: Option<u64> = metadata.size().known();
/// # let _ = bytes;
/// # Ok::<(), curt::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Value<'a, T> {
    /// The value.
    Known(T),
    /// The plan does not include the field.
    NotRequested,
    /// The system or filesystem lacks the field, or the entry has no target because it is not a
    /// symlink.
    Unsupported,
    /// The query failed.
    Failed(&'a Error),
}

impl<'a, T> Value<'a, T> {
    /// Returns the value, or `None` for any other variant.
    pub fn known(self) -> Option<T> {
        match self {
            Value::Known(value) => Some(value),
            _ => None,
        }
    }

    /// Maps the value, if known.
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Value<'a, U> {
        match self {
            Value::Known(value) => Value::Known(with(value)),
            Value::NotRequested => Value::NotRequested,
            Value::Unsupported => Value::Unsupported,
            Value::Failed(error) => Value::Failed(error),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) known: Fields,
    pub(crate) kind: Kind,
    pub(crate) id: u128,
    pub(crate) device: u64,
    pub(crate) size: u64,
    pub(crate) allocated: u64,
    pub(crate) accessed: Time,
    pub(crate) modified: Time,
    pub(crate) changed: Time,
    pub(crate) created: Time,
    pub(crate) links: u64,
    pub(crate) mode: u32,
    pub(crate) user_id: u32,
    pub(crate) group_id: u32,
    pub(crate) attributes: u64,
    pub(crate) device_number: u64,
    pub(crate) block_size: u64,
    pub(crate) allowed: Fields,
    pub(crate) present: Fields,
    /// Whether the entry is a mount point. Only valid if `ATTRIBUTES` is known.
    pub(crate) is_mount: bool,
}

macro_rules! adopt {
    ($to:ident, $from:ident, $missing:ident: $($place:ident $field:ident),*) => {
        $(if $missing.contains(Fields::$field) { $to.$place = $from.$place; })*
    };
}

impl Facts {
    #[inline]
    pub(crate) fn is_known_mount(&self) -> bool {
        self.is_mount && self.known.contains(Fields::ATTRIBUTES)
    }

    #[inline]
    pub(crate) fn has_several_names(&self) -> bool {
        self.links > 1 && self.known.contains(Fields::LINKS)
    }

    pub(crate) fn freed(&self) -> u64 {
        if self.links <= 1 || self.kind == Kind::Directory { self.allocated } else { 0 }
    }

    pub(crate) fn add_listed(&mut self, kind: Kind, id: u128) {
        // Write `known` once: a partial write followed by a full read defeats store forwarding.
        let mut known = self.known;
        if kind != Kind::Unknown {
            self.kind = kind;
            known |= Fields::KIND;
        }
        if id != 0 {
            self.id = id;
            known |= Fields::ID;
        }
        self.known = known;
    }

    /// Returns the creation time since 1970, or else the change time, or else zero.
    pub(crate) fn made(&self) -> Duration {
        let knows_birth = self.known.contains(Fields::CREATED);
        let made = if knows_birth { self.created } else { self.changed };
        Duration::new(made.seconds.try_into().unwrap_or(0), made.nanoseconds)
    }

    pub(crate) fn update(&mut self, mut newer: Facts) {
        let missing = self.known.without(newer.known);
        adopt!(newer, self, missing:
            kind KIND, id ID, device DEVICE, size SIZE, allocated ALLOCATED, accessed ACCESSED,
            modified MODIFIED, changed CHANGED, created CREATED, links LINKS, mode MODE,
            user_id USER_ID, group_id GROUP_ID, attributes ATTRIBUTES,
            device_number DEVICE_NUMBER, block_size BLOCK_SIZE
        );
        newer.allowed |= self.allowed.intersection(missing);
        newer.present |= self.present.intersection(missing);
        newer.is_mount |= self.is_mount && missing.contains(Fields::ATTRIBUTES);
        newer.known |= missing;
        *self = newer;
    }
}

/// The metadata of one entry: its kind, and a [`Value`] for each other field.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-metadata-{}", std::process::id()));
/// # std::fs::create_dir_all(&scratch)?;
/// # std::fs::write(scratch.join("file"), "four")?;
/// use curt::Fields;
/// use curt::fields::Value;
///
/// // `scratch` is a directory with file (4 bytes).
/// let metadata = curt::stat(scratch.join("file"), Fields::KIND | Fields::SIZE)?;
/// assert!(metadata.kind().is_file());
/// assert_eq!(metadata.size().known(), Some(4));
/// assert!(matches!(metadata.modified(), Value::NotRequested));
/// assert_eq!(metadata.failures().count(), 0);
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    pub(crate) requested: Fields,
    pub(crate) facts: Facts,
    /// Whether any field below may be set. Usually none is, and `reset` skips them.
    pub(crate) has_more: bool,
    /// Whether this metadata describes the target of a symlink in the listing.
    pub(crate) followed: bool,
    pub(crate) user: Option<Arc<OsString>>,
    pub(crate) group: Option<Arc<OsString>>,
    pub(crate) target: Option<PathBuf>,
    pub(crate) label: Option<OsString>,
    pub(crate) failed: Vec<(Fields, Error)>,
}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $field:ident;)*) => {
        $($(#[$doc])* pub fn $name(&self) -> Value<'_, $type> {
            self.value(Fields::$field, self.facts.$name)
        })*
    };
}

impl Metadata {
    /// Returns [`Fields::KIND`], or [`Kind::Unknown`] if the kind is not known. Walks always query
    /// it.
    pub fn kind(&self) -> Kind {
        self.value(Fields::KIND, self.facts.kind).known().unwrap_or_default()
    }

    values! {
        /// [`Fields::ID`].
        id: u128 = ID;
        /// [`Fields::DEVICE`].
        device: u64 = DEVICE;
        /// [`Fields::SIZE`], in bytes.
        size: u64 = SIZE;
        /// [`Fields::ALLOCATED`], in bytes.
        allocated: u64 = ALLOCATED;
        /// [`Fields::ACCESSED`].
        accessed: Time = ACCESSED;
        /// [`Fields::MODIFIED`]. Compare with `Time::from(limit)` for a [`SystemTime`], or convert
        /// with `.to_system_time()`.
        modified: Time = MODIFIED;
        /// [`Fields::CHANGED`].
        changed: Time = CHANGED;
        /// [`Fields::CREATED`].
        created: Time = CREATED;
        /// [`Fields::LINKS`].
        links: u64 = LINKS;
        /// [`Fields::MODE`].
        mode: u32 = MODE;
        /// [`Fields::USER_ID`].
        user_id: u32 = USER_ID;
        /// [`Fields::GROUP_ID`].
        group_id: u32 = GROUP_ID;
        /// [`Fields::ATTRIBUTES`].
        attributes: u64 = ATTRIBUTES;
        /// [`Fields::DEVICE_NUMBER`].
        device_number: u64 = DEVICE_NUMBER;
        /// [`Fields::BLOCK_SIZE`], in bytes.
        block_size: u64 = BLOCK_SIZE;
    }

    /// Returns [`Fields::USER`].
    ///
    /// Returns [`Value::Unsupported`] if the owner has no name, and [`Value::Failed`] if the lookup
    /// ran out of descriptors or memory.
    pub fn user(&self) -> Value<'_, &std::ffi::OsStr> {
        self.reference(Fields::USER, self.user.as_deref().map(OsString::as_os_str))
    }

    /// Returns [`Fields::GROUP`], or [`Value::Unsupported`] if the group has no name.
    pub fn group(&self) -> Value<'_, &std::ffi::OsStr> {
        self.reference(Fields::GROUP, self.group.as_deref().map(OsString::as_os_str))
    }

    /// Returns [`Fields::TARGET`], or [`Value::Unsupported`] if the entry is not a symlink.
    pub fn target(&self) -> Value<'_, &std::path::Path> {
        self.reference(Fields::TARGET, self.target.as_deref())
    }

    /// Returns [`Fields::LABEL`], or [`Value::Unsupported`] if the entry has no label.
    pub fn label(&self) -> Value<'_, &std::ffi::OsStr> {
        self.reference(Fields::LABEL, self.label.as_deref())
    }

    /// Returns [`Fields::READABLE`].
    pub fn readable(&self) -> Value<'_, bool> {
        self.value(Fields::READABLE, self.facts.allowed.contains(Fields::READABLE))
    }

    /// Returns [`Fields::WRITABLE`].
    pub fn writable(&self) -> Value<'_, bool> {
        self.value(Fields::WRITABLE, self.facts.allowed.contains(Fields::WRITABLE))
    }

    /// Returns [`Fields::EXECUTABLE`].
    pub fn executable(&self) -> Value<'_, bool> {
        self.value(Fields::EXECUTABLE, self.facts.allowed.contains(Fields::EXECUTABLE))
    }

    /// Returns [`Fields::ACL`].
    pub fn acl(&self) -> Value<'_, bool> {
        self.value(Fields::ACL, self.facts.present.contains(Fields::ACL))
    }

    /// Returns [`Fields::CAPABILITY`].
    pub fn capability(&self) -> Value<'_, bool> {
        self.value(Fields::CAPABILITY, self.facts.present.contains(Fields::CAPABILITY))
    }

    /// Iterates over the failures, each with the fields that it affects.
    pub fn failures(&self) -> impl Iterator<Item = (Fields, &Error)> {
        self.failed.iter().map(|(fields, error)| (*fields, error))
    }

    pub(crate) fn fail(&mut self, fields: Fields, error: Error) {
        self.has_more = true;
        self.failed.push((fields, error));
    }

    /// Removes and returns the error of a failed query of the kind. Callers report it instead of
    /// the entry.
    pub(crate) fn take_failed_kind(&mut self) -> Option<Error> {
        self.take_failure(|fields| fields.contains(Fields::KIND))
    }

    /// Removes and returns the error of a symlink that could not be followed, which affects no
    /// field.
    pub(crate) fn take_unfollowed(&mut self) -> Option<Error> {
        self.take_failure(Fields::is_empty)
    }

    fn take_failure(&mut self, is_wanted: fn(Fields) -> bool) -> Option<Error> {
        let index = self.failed.iter().position(|(fields, _)| is_wanted(*fields))?;
        Some(self.failed.swap_remove(index).1)
    }

    fn value<T>(&self, field: Fields, value: T) -> Value<'_, T> {
        self.reference(field, self.facts.known.contains(field).then_some(value))
    }

    fn reference<T>(&self, field: Fields, value: Option<T>) -> Value<'_, T> {
        if !self.requested.contains(field) {
            return Value::NotRequested;
        }
        if let Some((_, error)) = self.failed.iter().find(|(fields, _)| fields.contains(field)) {
            return Value::Failed(error);
        }
        value.map_or(Value::Unsupported, Value::Known)
    }

    pub(crate) fn whole(mut self) -> Result<Metadata, Error> {
        let is_whole = |(_, error): &(Fields, Error)| error.operation() == Operation::Stat;
        match self.failed.iter().position(is_whole) {
            Some(index) => Err(self.failed.swap_remove(index).1),
            None => Ok(self),
        }
    }

    #[inline]
    pub(crate) fn reset(&mut self, requested: Fields) {
        self.requested = requested;
        if cfg!(debug_assertions) {
            let (size, links) = (u64::MAX, u64::MAX);
            self.facts = Facts { size, links, is_mount: true, ..Facts::default() };
        }
        self.facts.kind = Kind::Unknown;
        self.facts.known = Fields::NONE;
        self.facts.allowed = Fields::NONE;
        self.facts.present = Fields::NONE;
        if self.has_more {
            self.drop_more();
        }
    }

    #[cold]
    fn drop_more(&mut self) {
        (self.user, self.group, self.target, self.label) = (None, None, None, None);
        self.failed.clear();
        (self.has_more, self.followed) = (false, false);
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, Fields, Kind, Time};
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_newer_answer_keeps_what_it_lacks() {
        let (requested, answered) =
            (Fields::READABLE | Fields::WRITABLE, Fields::KIND | Fields::SIZE);
        let kept = Fields::ID | Fields::ACL | Fields::ATTRIBUTES | requested;
        let mut facts = Facts { id: 7, size: 5, is_mount: true, ..Facts::default() };
        (facts.known, facts.present) = (kept | Fields::SIZE, Fields::ACL);
        facts.allowed = Fields::READABLE;
        facts.update(Facts { known: answered, kind: Kind::File, size: 9, ..Facts::default() });
        assert_eq!((facts.id, facts.size, facts.kind), (7, 9, Kind::File));
        assert_eq!(facts.known, kept | answered);
        assert_eq!((facts.present, facts.allowed), (Fields::ACL, Fields::READABLE));
        assert!(facts.is_known_mount());
        let answer = Facts { known: Fields::ATTRIBUTES | requested, ..Facts::default() };
        facts.update(answer);
        assert_eq!((facts.allowed, facts.is_known_mount()), (Fields::NONE, false));
    }

    #[test]
    fn an_entry_was_made_when_it_was_created_or_else_changed() {
        let time = |seconds| Time { seconds, nanoseconds: 0 };
        let facts = Facts { created: time(1), changed: time(2), ..Facts::default() };
        for (known, seconds) in [(Fields::CREATED | Fields::CHANGED, 1), (Fields::CHANGED, 2)] {
            assert_eq!(Facts { known, ..facts }.made(), Duration::from_secs(seconds));
        }
        let (known, created) = (Fields::CREATED, time(-1));
        assert_eq!(Facts { known, created, ..facts }.made(), Duration::ZERO);
    }

    #[test]
    fn times_are_shown_in_utc() {
        for (seconds, nanoseconds, shown) in [
            (0, 0, "1970-01-01T00:00:00.000000000Z"),
            (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
            (951_782_399, 0, "2000-02-28T23:59:59.000000000Z"),
            (951_868_799, 0, "2000-02-29T23:59:59.000000000Z"),
            (951_868_800, 0, "2000-03-01T00:00:00.000000000Z"),
            (1_709_208_000, 5, "2024-02-29T12:00:00.000000005Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000000000Z"),
            (253_402_300_799, 0, "9999-12-31T23:59:59.000000000Z"),
            (253_402_300_800, 0, "+10000-01-01T00:00:00.000000000Z"),
            (-62_167_219_200, 0, "0000-01-01T00:00:00.000000000Z"),
            (-62_167_219_201, 0, "-0001-12-31T23:59:59.000000000Z"),
        ] {
            assert_eq!(Time { seconds, nanoseconds }.to_string(), shown);
        }
        for extreme in [i64::MIN, i64::MAX] {
            let time = Time { seconds: extreme, nanoseconds: 0 };
            assert!(time.to_string().ends_with('Z'));
        }
        assert_eq!(Time::default(), SystemTime::UNIX_EPOCH.into());
    }

    #[test]
    fn times_before_1970_survive_a_round_trip() {
        for (seconds, nanoseconds) in [(0, 0), (5, 700), (-1, 999_999_900), (-2, 0), (-3, 100)] {
            let time = Time { seconds, nanoseconds };
            assert_eq!(Time::from(time.to_system_time().unwrap()), time);
        }
        let before = SystemTime::UNIX_EPOCH - Duration::from_millis(1500);
        assert_eq!(Time::from(before), Time { seconds: -2, nanoseconds: 500_000_000 });
    }
}
