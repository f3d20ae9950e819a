//! Sizes as people read them: `1.4K`, `23M`, as `ls -h` and `du -h` show them.

pub(super) const UNITS: [&str; 9] = ["", "K", "M", "G", "T", "P", "E", "Z", "Y"];

/// The number of bytes in powers of 1024 or of 1000, rounded up: one digit behind the point below
/// ten.
pub(super) fn scaled(bytes: u64, base: u128) -> String {
    let bytes = u128::from(bytes);
    if bytes < base {
        return bytes.to_string();
    }
    let mut unit = base;
    let mut power = 1;
    while bytes.div_ceil(unit) >= base && power + 1 < UNITS.len() {
        unit *= base;
        power += 1;
    }
    let tenths = (bytes * 10).div_ceil(unit);
    let suffix = if base == 1000 && power == 1 { "k" } else { UNITS[power] };
    if tenths < 100 {
        format!("{}.{}{suffix}", tenths / 10, tenths % 10)
    } else {
        format!("{}{suffix}", bytes.div_ceil(unit))
    }
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn as_gnu_rounds() {
        for (bytes, text) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (1025, "1.1K"),
            (10_137, "9.9K"),
            (10_138, "10K"),
            (10_241, "11K"),
            (1_047_552, "1023K"),
            (1_047_553, "1.0M"),
            (1 << 20, "1.0M"),
            (5_368_709_121, "5.1G"),
            (u64::MAX, "16E"),
        ] {
            assert_eq!(scaled(bytes, 1024), text, "{bytes}");
        }
    }
}
