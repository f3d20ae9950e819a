use jiff::tz::TimeZone;

use crate::time::LeapSeconds;

/// From the settings of the system or `TZ`.
pub(crate) fn local_zone() -> (TimeZone, LeapSeconds) {
    (TimeZone::system(), LeapSeconds::default())
}
