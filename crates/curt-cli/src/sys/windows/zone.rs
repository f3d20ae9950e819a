use jiff::tz::TimeZone;

use crate::time::LeapSeconds;

pub(crate) fn local_zone() -> (TimeZone, LeapSeconds) {
    (TimeZone::system(), LeapSeconds::default())
}
