//! Base64, as RFC 4648 has it: how JSON carries bytes that are no Unicode.

/// Bytes from base64 with its padding; nothing else is taken for it.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let chunks = text.as_bytes().chunks(4);
    let last = chunks.len().wrapping_sub(1);
    for (index, chunk) in chunks.enumerate() {
        let digits = match chunk {
            [a, b, b'=', b'='] if index == last => &[*a, *b][..],
            [a, b, c, b'='] if index == last => &[*a, *b, *c][..],
            [_, _, _, _] => chunk,
            _ => return None,
        };
        let mut bits = 0_u32;
        for &digit in digits {
            let value = DIGITS.iter().position(|&known| known == digit)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bits <<= 6 * (4 - digits.len());
        let whole = bits.to_be_bytes();
        bytes.extend_from_slice(&whole[1..digits.len()]);
    }
    Some(bytes)
}

/// The digits of base64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64, with its padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            let used = digit <= chunk.len();
            text.push(if used { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn base64_as_rfc_4648_has_it() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        for wrong in ["Z", "Zg=", "Zg==Zg==", "Z===", "!!!!", "Zm9v\n"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
        assert_eq!(encode(&[0xff, 0xfe]), "//4=");
    }
}
