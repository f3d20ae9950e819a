//! The encodings of Ruby's strings.

/// The encoding of a text in bytes. Most texts need none: see
/// [`PathText::encoded`](crate::PathText::encoded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    name: &'static str,
    pub(crate) kind: Kind,
}

/// How bytes make characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Utf8,
    /// Read as Windows-1252, which has the superscripts that are digits in the names of ports.
    Western,
    /// No byte of a character beyond ASCII is an ASCII byte.
    Apart,
    /// Two bytes, of which the second can be an ASCII byte. The first is in one of these ranges.
    Pairs([(u8, u8); 2]),
    /// ASCII is not written as ASCII, so that no path can be read.
    Wide,
}

const SHIFT_JIS: Kind = Kind::Pairs([(0x81, 0x9F), (0xE0, 0xFC)]);
const HIGH: Kind = Kind::Pairs([(0x81, 0xFE), (0x81, 0xFE)]);

/// The names that Ruby has for them.
const NAMED: [(Kind, &str); 6] = [
    (Kind::Utf8, "UTF-8"),
    (Kind::Western, "US-ASCII ASCII-8BIT Windows-1252 ISO-8859-1"),
    (
        Kind::Apart,
        "ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 \
         ISO-8859-9 ISO-8859-10 ISO-8859-11 ISO-8859-13 ISO-8859-14 ISO-8859-15 \
         ISO-8859-16 Windows-1250 Windows-1251 Windows-1253 Windows-1254 Windows-1255 \
         Windows-1256 Windows-1257 Windows-1258 Windows-874 IBM437 IBM850 IBM852 KOI8-R \
         KOI8-U EUC-JP CP51932 EUC-KR EUC-TW GB2312",
    ),
    (SHIFT_JIS, "Shift_JIS Windows-31J"),
    (HIGH, "CP949 GBK GB18030 Big5"),
    (Kind::Wide, "UTF-16LE UTF-16BE UTF-16 UTF-32LE UTF-32BE UTF-32"),
];

/// Other names, and the ones that Ruby prefers.
const ALIASES: [(&str, &str); 5] = [
    ("ASCII", "US-ASCII"),
    ("BINARY", "ASCII-8BIT"),
    ("CP932", "Windows-31J"),
    ("CP936", "GBK"),
    ("CP950", "Big5"),
];

impl Encoding {
    /// UTF-8, or any bytes that a system accepts as a name: the encoding of texts without a label.
    pub const UTF_8: Encoding = Encoding { name: "UTF-8", kind: Kind::Utf8 };
    /// ASCII. Bytes beyond it can only be joined with others that are labelled ASCII.
    pub const US_ASCII: Encoding = Encoding { name: "US-ASCII", kind: Kind::Western };

    /// Finds an encoding by the name that Ruby has for it, in any case.
    pub fn named(name: &str) -> Option<Encoding> {
        let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
        let name = alias.map_or(name, |&(_, name)| name);
        NAMED.iter().find_map(|&(kind, names)| {
            let name = names.split(' ').find(|known| known.eq_ignore_ascii_case(name))?;
            Some(Encoding { name, kind })
        })
    }

    /// Returns Ruby's name for it.
    pub fn name(self) -> &'static str {
        self.name
    }
}
