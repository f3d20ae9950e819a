//! Entries and their metadata, as JSON and as text, in the same form in every command.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::path::Path;

use curt::{Fields, Kind, Metadata, Time, Value};

use crate::out::column;
use crate::out::failure::Failure;
use crate::out::json::{self, Object};
use crate::quote::{for_terminal, on_one_line};
use crate::time::LocalZone;

/// The bits of a POSIX mode that hold the kind.
const KIND_BITS: u32 = 0o170_000;

/// An entry and its metadata.
pub(crate) struct Shown<'a> {
    pub(crate) name: &'a OsStr,
    pub(crate) path: &'a Path,
    pub(crate) metadata: &'a Metadata,
}

/// Returns the entry as JSON: its path and these fields.
pub(crate) fn object(entry: &Shown<'_>, fields: Fields) -> Object {
    let object = Object::new();
    let object = if fields.contains(Fields::NAME) {
        object.path("name", Path::new(entry.name))
    } else {
        object
    };
    let object = object.path("path", entry.path);
    let others = fields.without(Fields::NAME).iter();
    others.fold(object, |object, (name, field)| add(object, name, field, entry.metadata))
}

/// Adds a field: `null` if the system does not have it, an object with the error if it failed.
fn add(object: Object, name: &str, field: Fields, metadata: &Metadata) -> Object {
    let value = match field {
        Fields::KIND => metadata.kind().map(|kind| json::string(kind.name())),
        Fields::MODIFIED => metadata.modified().map(time),
        Fields::ACCESSED => metadata.accessed().map(time),
        Fields::CHANGED => metadata.changed().map(time),
        Fields::CREATED => metadata.created().map(time),
        Fields::USER => metadata.user().map(json::os_string),
        Fields::GROUP => metadata.group().map(json::os_string),
        Fields::LABEL => metadata.label().map(json::os_string),
        Fields::TARGET => metadata.target().map(|path| json::os_string(path.as_os_str())),
        _ => plain(field, metadata).map(|plain| plain.to_string()),
    };
    match value {
        Value::Value(value, _) => object.raw(name, &value),
        Value::NotRequested => object,
        Value::Unsupported => object.raw(name, "null"),
        Value::Failed(error) => object.object(name, Failure::from(error).object()),
    }
}

/// A value that is written the same in JSON and in text.
enum Plain {
    Number(u128),
    Truth(bool),
}

impl Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Most numbers have at most 64 bits, for which formatting is faster.
            Plain::Number(number) => match u64::try_from(*number) {
                Ok(number) => number.fmt(f),
                Err(_) => number.fmt(f),
            },
            Plain::Truth(truth) => truth.fmt(f),
        }
    }
}

/// Returns a field whose value is a number or a truth value.
fn plain(field: Fields, metadata: &Metadata) -> Value<'_, Plain> {
    fn number<T: Into<u128>>(value: Value<'_, T>) -> Value<'_, Plain> {
        value.map(|number| Plain::Number(number.into()))
    }
    match field {
        Fields::ID => number(metadata.id()),
        Fields::DEVICE => number(metadata.device()),
        Fields::SIZE => number(metadata.size()),
        Fields::ALLOCATED => number(metadata.allocated()),
        Fields::LINKS => number(metadata.links()),
        Fields::MODE => number(metadata.mode()),
        Fields::USER_ID => number(metadata.user_id()),
        Fields::GROUP_ID => number(metadata.group_id()),
        Fields::ATTRIBUTES => number(metadata.attributes()),
        Fields::DEVICE_NUMBER => number(metadata.device_number()),
        Fields::BLOCK_SIZE => number(metadata.block_size()),
        Fields::READABLE => metadata.is_readable().map(Plain::Truth),
        Fields::WRITABLE => metadata.is_writable().map(Plain::Truth),
        Fields::EXECUTABLE => metadata.is_executable().map(Plain::Truth),
        Fields::ACL => metadata.has_acl().map(Plain::Truth),
        Fields::CAPABILITY => metadata.has_capability().map(Plain::Truth),
        _ => Value::NotRequested,
    }
}

fn time(time: Time) -> String {
    format!("{{\"s\":{},\"ns\":{}}}", time.seconds, time.nanoseconds)
}

/// How text is printed.
pub(crate) struct Style<'a> {
    pub(crate) zone: &'a LocalZone,
    /// Names go to a terminal, which must not act upon them.
    pub(crate) is_quoted: bool,
}

/// Adds a field as text: `-` if the system does not have it, `?` if it failed.
pub(crate) fn add_field(entry: &Shown<'_>, field: Fields, style: &Style<'_>, line: &mut Vec<u8>) {
    let metadata = entry.metadata;
    let iso = |time: Value<'_, Time>| known(time.map(|time| style.zone.iso8601(time).into_bytes()));
    let name = |name: &OsStr| self::name(name, style.is_quoted);
    let text = match field {
        Fields::NAME => name(entry.name),
        Fields::KIND => known(metadata.kind().map(|kind| kind.name().as_bytes().to_vec())),
        Fields::MODE => {
            let kind = metadata.kind().known().unwrap_or_default();
            known(metadata.mode().map(|mode| mode_string(mode, kind).into_bytes()))
        }
        Fields::MODIFIED => iso(metadata.modified()),
        Fields::ACCESSED => iso(metadata.accessed()),
        Fields::CHANGED => iso(metadata.changed()),
        Fields::CREATED => iso(metadata.created()),
        Fields::USER => known(metadata.user().map(name)),
        Fields::GROUP => known(metadata.group().map(name)),
        Fields::LABEL => known(metadata.label().map(name)),
        Fields::TARGET => known(metadata.target().map(|path| name(path.as_os_str()))),
        _ => match plain(field, metadata) {
            Value::Value(Plain::Number(number), _) => return column::add(Some(number), 0, line),
            Value::Value(Plain::Truth(truth), _) => truth.to_string().into_bytes(),
            other => known(other.map(|_| Vec::new())),
        },
    };
    line.extend(text);
}

/// Returns a field as text.
pub(crate) fn field(entry: &Shown<'_>, field: Fields, style: &Style<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    add_field(entry, field, style, &mut text);
    text
}

fn known(value: Value<'_, Vec<u8>>) -> Vec<u8> {
    match value {
        Value::Value(text, _) => text,
        Value::Failed(_) => b"?".to_vec(),
        Value::NotRequested | Value::Unsupported => b"-".to_vec(),
    }
}

/// Returns a name as it is, or quoted for a terminal.
pub(crate) fn name(name: &OsStr, is_quoted: bool) -> Vec<u8> {
    if is_quoted { for_terminal(name, "").into_bytes() } else { name.as_encoded_bytes().to_vec() }
}

/// Returns the kind and the permissions in ten letters, as `ls -l` does.
pub(crate) fn mode_string(mode: u32, kind: Kind) -> String {
    let mut letters = Vec::with_capacity(10);
    add_mode(mode, kind, &mut letters);
    letters.into_iter().map(char::from).collect()
}

/// Adds those letters to a line.
pub(crate) fn add_mode(mode: u32, kind: Kind, line: &mut Vec<u8>) {
    const ALLOWED: [&[u8; 3]; 8] = [b"---", b"--x", b"-w-", b"-wx", b"r--", b"r-x", b"rw-", b"rwx"];
    let kind = match mode & KIND_BITS {
        0o100_000 => b'-',
        0o040_000 => b'd',
        0o120_000 => b'l',
        0o060_000 => b'b',
        0o020_000 => b'c',
        0o010_000 => b'p',
        0o140_000 => b's',
        _ => kind_letter(kind),
    };
    let mut letters = [kind; 10];
    let classes = [(6, 0o4000, b's'), (3, 0o2000, b's'), (0, 0o1000, b't')];
    for (three, (shift, special, with)) in letters[1..].chunks_exact_mut(3).zip(classes) {
        three.copy_from_slice(ALLOWED[(mode >> shift & 7) as usize]);
        if mode & special != 0 {
            three[2] = if three[2] == b'x' { with } else { with.to_ascii_uppercase() };
        }
    }
    line.extend_from_slice(&letters);
}

/// Returns the letter for a kind.
pub(crate) fn kind_letter(kind: Kind) -> u8 {
    match kind {
        Kind::File => b'-',
        Kind::Directory => b'd',
        Kind::Fifo => b'p',
        Kind::Socket => b's',
        Kind::CharacterDevice | Kind::Whiteout => b'c',
        Kind::BlockDevice => b'b',
        kind if kind.is_link() => b'l',
        _ => b'?',
    }
}

/// Parses a list of fields, which are separated by commas.
pub(crate) fn fields_named(list: &str) -> Result<Vec<Fields>, String> {
    list.split(',')
        .map(|name| {
            Fields::named(name.trim()).ok_or_else(|| {
                let all: Vec<&str> = Fields::ALL.iter().map(|(name, _)| *name).collect();
                format!(
                    "unknown field '{}'; the fields are {}",
                    on_one_line(name.trim()),
                    all.join(", ")
                )
            })
        })
        .collect()
}

/// Returns all of these fields together.
pub(crate) fn union(fields: &[Fields]) -> Fields {
    fields.iter().fold(Fields::NONE, |all, &field| all | field)
}

#[cfg(test)]
mod tests {
    use super::{fields_named, mode_string};
    use curt::{Fields, Kind};

    #[test]
    fn modes_are_letters() {
        for (mode, text) in [
            (0o100_644, "-rw-r--r--"),
            (0o104_755, "-rwsr-xr-x"),
            (0o106_644, "-rwSr-Sr--"),
            (0o041_777, "drwxrwxrwt"),
            (0o041_770, "drwxrwx--T"),
            (0o120_777, "lrwxrwxrwx"),
            (0o060_660, "brw-rw----"),
            (0o140_000, "s---------"),
        ] {
            assert_eq!(mode_string(mode, Kind::Unknown), text);
        }
    }

    #[test]
    fn lists_of_fields_are_parsed() {
        assert_eq!(fields_named("name, size"), Ok(vec![Fields::NAME, Fields::SIZE]));
        assert!(fields_named("name,colour").is_err());
    }
}
