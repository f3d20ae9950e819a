//! The local time zone.

use jiff::tz::TimeZone;

/// Returns the local time zone, from the settings of the system or `TZ`.
pub(crate) fn local_zone() -> TimeZone {
    TimeZone::system()
}
