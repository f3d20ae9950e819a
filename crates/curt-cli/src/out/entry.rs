//! Formats entries and metadata as JSON and as text, for all commands.

use std::ffi::OsStr;
use std::path::Path;

use curt::fields::{Time, Value};
use curt::{Fields, Kind, Metadata};

use crate::out::column;
use crate::out::failure::Failure;
use crate::out::json::{self, Object};
use crate::quote::{for_terminal, quote};
use crate::time::LocalZone;

/// `S_IFMT`.
const KIND_BITS: u32 = 0o170_000;

pub(crate) struct Shown<'a> {
    pub(crate) name: &'a OsStr,
    pub(crate) path: &'a Path,
    pub(crate) metadata: &'a Metadata,
}

pub(crate) fn object(entry: &Shown<'_>, fields: Fields) -> Object {
    let object = Object::new();
    let object = if fields.contains(Fields::NAME) {
        object.path("name", Path::new(entry.name))
    } else {
        object
    };
    let object = object.path("path", entry.path);
    let others = fields.without(Fields::NAME).iter();
    others.fold(object, |object, (name, field)| add_json(object, name, field, entry.metadata))
}

enum FieldValue<'a> {
    Number(u128),
    Truth(bool),
    Time(Time),
    Kind(Kind),
    Mode(u32),
    Name(&'a OsStr),
}

fn value(field: Fields, metadata: &Metadata) -> Value<'_, FieldValue<'_>> {
    fn number<T: Into<u128>>(value: Value<'_, T>) -> Value<'_, FieldValue<'_>> {
        value.map(|number| FieldValue::Number(number.into()))
    }
    match field {
        Fields::KIND => {
            let failed = metadata.failures().find(|(fields, _)| fields.contains(field));
            match (metadata.kind(), failed) {
                (_, Some((_, error))) => Value::Failed(error),
                (Kind::Unknown, None) => Value::Unsupported,
                (kind, None) => Value::Known(FieldValue::Kind(kind)),
            }
        }
        Fields::MODE => metadata.mode().map(FieldValue::Mode),
        Fields::MODIFIED | Fields::ACCESSED | Fields::CHANGED | Fields::CREATED => {
            time(field, metadata).map(FieldValue::Time)
        }
        Fields::USER => metadata.user().map(FieldValue::Name),
        Fields::GROUP => metadata.group().map(FieldValue::Name),
        Fields::LABEL => metadata.label().map(FieldValue::Name),
        Fields::TARGET => metadata.target().map(|path| FieldValue::Name(path.as_os_str())),
        Fields::ID => number(metadata.id()),
        Fields::DEVICE => number(metadata.device()),
        Fields::SIZE => number(metadata.size()),
        Fields::ALLOCATED => number(metadata.allocated()),
        Fields::LINKS => number(metadata.links()),
        Fields::USER_ID => number(metadata.user_id()),
        Fields::GROUP_ID => number(metadata.group_id()),
        Fields::ATTRIBUTES => number(metadata.attributes()),
        Fields::DEVICE_NUMBER => number(metadata.device_number()),
        Fields::BLOCK_SIZE => number(metadata.block_size()),
        Fields::READABLE => metadata.readable().map(FieldValue::Truth),
        Fields::WRITABLE => metadata.writable().map(FieldValue::Truth),
        Fields::EXECUTABLE => metadata.executable().map(FieldValue::Truth),
        Fields::ACL => metadata.acl().map(FieldValue::Truth),
        Fields::CAPABILITY => metadata.capability().map(FieldValue::Truth),
        _ => Value::NotRequested,
    }
}

pub(crate) fn time(field: Fields, metadata: &Metadata) -> Value<'_, Time> {
    match field {
        Fields::ACCESSED => metadata.accessed(),
        Fields::CHANGED => metadata.changed(),
        Fields::CREATED => metadata.created(),
        _ => metadata.modified(),
    }
}

/// Adds a field as JSON. An unsupported field is `null`, a failed one an object with the error.
fn add_json(object: Object, name: &str, field: Fields, metadata: &Metadata) -> Object {
    match value(field, metadata) {
        Value::Known(value) => object.raw(name, &json_value(&value)),
        Value::NotRequested => object,
        Value::Unsupported => object.raw(name, "null"),
        Value::Failed(error) => object.object(name, Failure::from(error).object()),
    }
}

fn json_value(value: &FieldValue<'_>) -> String {
    match *value {
        // 64-bit numbers are formatted faster.
        FieldValue::Number(number) => {
            u64::try_from(number).map_or_else(|_| number.to_string(), |number| number.to_string())
        }
        FieldValue::Truth(truth) => truth.to_string(),
        FieldValue::Time(time) => json::time(time),
        FieldValue::Kind(kind) => json::string(kind.name()),
        FieldValue::Mode(mode) => mode.to_string(),
        FieldValue::Name(name) => json::os_string(name),
    }
}

pub(crate) struct TextStyle<'a> {
    pub(crate) zone: &'a LocalZone,
    pub(crate) is_quoted: bool,
}

/// Adds a field as text. An unsupported field is `-`, a failed one `?`.
pub(crate) fn add_field(
    entry: &Shown<'_>,
    field: Fields,
    style: &TextStyle<'_>,
    line: &mut Vec<u8>,
) {
    let value = match value(field, entry.metadata) {
        _ if field == Fields::NAME => FieldValue::Name(entry.name),
        Value::Known(value) => value,
        Value::Failed(_) => return line.push(b'?'),
        Value::NotRequested | Value::Unsupported => return line.push(b'-'),
    };
    match value {
        FieldValue::Number(number) => column::add(Some(number), 0, line),
        FieldValue::Truth(truth) => line.extend(truth.to_string().bytes()),
        FieldValue::Time(time) => line.extend(style.zone.iso8601(time).bytes()),
        FieldValue::Kind(kind) => line.extend(kind.name().bytes()),
        FieldValue::Mode(mode) => {
            add_mode(mode, entry.metadata.kind(), line);
        }
        FieldValue::Name(name) => line.extend(self::name(name, style.is_quoted)),
    }
}

pub(crate) fn field(entry: &Shown<'_>, field: Fields, style: &TextStyle<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    add_field(entry, field, style, &mut text);
    text
}

pub(crate) fn name(name: &OsStr, is_quoted: bool) -> Vec<u8> {
    if is_quoted { for_terminal(name, "").into_bytes() } else { name.as_encoded_bytes().to_vec() }
}

/// Adds kind and permissions in ten letters, as `ls -l` does.
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

pub(crate) fn kind_name(kind: Kind, is_empty: bool) -> &'static str {
    match kind {
        Kind::File if is_empty => "regular empty file",
        Kind::File => "regular file",
        Kind::Directory => "directory",
        Kind::Fifo => "fifo",
        Kind::Socket => "socket",
        Kind::CharacterDevice | Kind::Whiteout => "character special file",
        Kind::BlockDevice => "block special file",
        kind if kind.is_link() => "symbolic link",
        _ => "weird file",
    }
}

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

pub(crate) fn fields_named(list: &str) -> Result<Vec<Fields>, String> {
    list.split(',').map(|name| field_named(name.trim(), &[])).collect()
}

/// Returns the field with this name. The error suggests the closest name, or lists all, including
/// `others`.
pub(crate) fn field_named(name: &str, others: &[&str]) -> Result<Fields, String> {
    /// The lowest similarity for a suggestion, as in clap.
    const LEAST: f64 = 0.7;
    Fields::named(name).ok_or_else(|| {
        let known = Fields::ALL.iter().map(|(known, _)| known);
        let all: Vec<&str> = known.chain(others.iter().copied()).collect();
        let similarity = |known: &&str| strsim::jaro(name, known);
        let near = all.iter().copied().filter(|known| similarity(known) > LEAST);
        let hint = match near.max_by(|one, other| similarity(one).total_cmp(&similarity(other))) {
            Some(nearest) => format!("; did you mean '{nearest}'?"),
            None => format!("\nThe fields are {}.", all.join(", ")),
        };
        format!("unknown field {}{hint}", quote(name))
    })
}

pub(crate) fn fields_if(fields: &[(bool, Fields)]) -> Fields {
    let requested = fields.iter().filter(|&&(is_requested, _)| is_requested);
    requested.fold(Fields::NONE, |all, &(_, field)| all | field)
}

pub(crate) fn union(fields: &[Fields]) -> Fields {
    fields.iter().fold(Fields::NONE, |all, &field| all | field)
}

#[cfg(test)]
mod tests {
    use super::{add_mode, fields_named};
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
            let mut line = Vec::new();
            add_mode(mode, Kind::Unknown, &mut line);
            assert_eq!(line, text.as_bytes());
        }
    }

    #[test]
    fn lists_of_fields_are_parsed() {
        assert_eq!(fields_named("name, size"), Ok(vec![Fields::NAME, Fields::SIZE]));
        assert!(fields_named("name,colour").is_err());
        for (typed, hint) in [
            ("siz", "; did you mean 'size'?"),
            ("modifed", "; did you mean 'modified'?"),
            ("blocksize", "; did you mean 'block-size'?"),
            ("xyz", "\nThe fields are name, kind, "),
        ] {
            let message = fields_named(typed).unwrap_err();
            assert!(message.starts_with(&format!("unknown field '{typed}'{hint}")), "{message}");
        }
    }
}
