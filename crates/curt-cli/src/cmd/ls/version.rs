//! Version sort as in `ls -v` and `sort -V` since coreutils 9.2: runs of digits compare as numbers,
//! `~` sorts before the end of a name, and extensions are compared last.

use std::cmp::Ordering;

/// Compares two names. Different names can compare as equal, such as `a1` and `a01`.
pub(super) fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let group = |name: &[u8]| match name {
        b"" => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    };
    group(one)
        .cmp(&group(other))
        .then_with(|| parts(stem(one), stem(other)).then_with(|| parts(one, other)))
}

/// Strips extensions such as `.tar.gz`, but never the whole name.
fn stem(name: &[u8]) -> &[u8] {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'~';
    let mut end = name.len();
    while let Some(dot) = name[..end].iter().rposition(|&byte| byte == b'.') {
        let extension = &name[dot + 1..end];
        let is_extension = extension.first().is_some_and(|&first| is_letter(first))
            && extension.iter().all(|&byte| is_letter(byte) || byte.is_ascii_digit());
        if dot == 0 || !is_extension {
            break;
        }
        end = dot;
    }
    &name[..end]
}

fn parts(mut one: &[u8], mut other: &[u8]) -> Ordering {
    loop {
        while [one, other]
            .iter()
            .any(|rest| rest.first().is_some_and(|byte| !byte.is_ascii_digit()))
        {
            let order = weight(one.first()).cmp(&weight(other.first()));
            if order.is_ne() {
                return order;
            }
            (one, other) = (&one[1..], &other[1..]);
        }
        if one.is_empty() && other.is_empty() {
            return Ordering::Equal;
        }
        let (number, other_number);
        (number, one) = split_number(one);
        (other_number, other) = split_number(other);
        let order = number.len().cmp(&other_number.len()).then_with(|| number.cmp(other_number));
        if order.is_ne() {
            return order;
        }
    }
}

/// Ranks a character: `~` first, then the end, digits, letters, and others.
fn weight(byte: Option<&u8>) -> i32 {
    match byte {
        Some(b'~') => -2,
        None => -1,
        Some(b'0'..=b'9') => 0,
        Some(&letter) if letter.is_ascii_alphabetic() => letter.into(),
        Some(&rest) => i32::from(rest) + 256,
    }
}

/// Splits off leading digits and drops leading zeros.
fn split_number(text: &[u8]) -> (&[u8], &[u8]) {
    let zeros = text.iter().take_while(|&&byte| byte == b'0').count();
    let text = &text[zeros..];
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

#[cfg(test)]
mod tests {
    use super::compare;

    /// Coreutils do this only since 9.2. Other tests compare with GNU ls.
    #[test]
    fn digits_come_before_letters_in_hidden_names_too() {
        assert!(
            [".0", ".9", ".A", ".Z", ".a~"]
                .is_sorted_by(|one, other| { compare(one.as_bytes(), other.as_bytes()).is_lt() })
        );
    }
}
