//! The local time zone.

use jiff::tz::TimeZone;

use crate::time::LeapSeconds;

/// Returns the local time zone, from the settings of the system or `TZ`.
pub(crate) fn local_zone() -> (TimeZone, LeapSeconds) {
    (TimeZone::system(), LeapSeconds::default())
}
