//! JSON, one object per line. Text is a string; a name that is not Unicode is an object that holds
//! its exact units.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use curt::{Calls, Cause, Error, Kind, Operation, Report, StartFailure, is_printable};

use crate::out::text;
use crate::sys;

/// An object being written. Fields appear in the order in which they are added.
#[derive(Default)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a field whose value is JSON already.
    pub(crate) fn raw(mut self, name: &str, value: &str) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&string(name));
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.raw(name, &string(value))
    }

    pub(crate) fn path(self, name: &str, value: &Path) -> Self {
        self.raw(name, &os_string(value.as_os_str()))
    }

    pub(crate) fn number(self, name: &str, value: impl Into<i128>) -> Self {
        self.raw(name, &value.into().to_string())
    }

    pub(crate) fn boolean(self, name: &str, value: bool) -> Self {
        self.raw(name, if value { "true" } else { "false" })
    }

    pub(crate) fn object(self, name: &str, value: Object) -> Self {
        self.raw(name, &value.end())
    }

    pub(crate) fn objects(self, name: &str, values: impl IntoIterator<Item = Object>) -> Self {
        let values: Vec<String> = values.into_iter().map(Object::end).collect();
        self.raw(name, &format!("[{}]", values.join(",")))
    }

    fn end(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }

    /// The object as a line of its own.
    pub(crate) fn line(self) -> String {
        let mut line = self.end();
        line.push('\n');
        line
    }
}

pub(crate) fn string(text: &str) -> String {
    // Writing a string into memory cannot fail.
    let json = serde_json::to_string(text).unwrap_or_default();
    if json.is_ascii() && !json.contains('\x7f') || json.chars().all(is_printable) {
        return json;
    }
    // JSON allows these as they are; a terminal acts upon them.
    let escape = |character: char| {
        if is_printable(character) {
            character.to_string()
        } else {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            units.map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat()
        }
    };
    json.chars().map(escape).collect()
}

pub(crate) fn os_string(name: &OsStr) -> String {
    name.to_str().map_or_else(|| sys::name_to_json(name), string)
}

/// A failure, in the shape that it has in every command and every answer.
pub(crate) struct Failure {
    operation: &'static str,
    /// In JSON already.
    path: Option<String>,
    kind: String,
    errno: Option<i32>,
    message: String,
}

impl Failure {
    /// One without a path and a number of the system.
    pub(crate) fn new(operation: &'static str, kind: &str, message: String) -> Failure {
        Failure { operation, path: None, kind: kind.to_owned(), errno: None, message }
    }

    /// That a line of input is no question.
    pub(crate) fn no_question(message: String) -> Failure {
        Failure::new("read_question", "invalid", message)
    }

    /// That the command line is wrong.
    pub(crate) fn usage(message: String) -> Failure {
        Failure::new("read_arguments", "usage", message)
    }

    pub(crate) fn path(self, path: &Path) -> Failure {
        self.path_in_json(os_string(path.as_os_str()))
    }

    pub(crate) fn path_in_json(self, path: String) -> Failure {
        Failure { path: Some(path), ..self }
    }

    /// What the system said.
    pub(crate) fn by_system(operation: &'static str, error: &io::Error) -> Failure {
        let failure = Failure::new(operation, word(error), sys::error_text(error));
        Failure { errno: sys::error_number(error), ..failure }
    }

    /// Adds it to an object.
    pub(crate) fn add_to(self, object: Object) -> Object {
        let number = self.errno.map(|number| number.to_string());
        let fields = Object::new()
            .text("operation", self.operation)
            .raw("path", self.path.as_deref().unwrap_or("null"))
            .text("kind", &self.kind)
            .raw("errno", number.as_deref().unwrap_or("null"))
            .text("message", &self.message);
        object.object("error", fields)
    }

    /// It alone, as an answer.
    pub(crate) fn alone(self) -> Object {
        self.add_to(Object::new())
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let cause = error.cause();
        let failure =
            Failure::new(operation(error.operation()), word_for(cause), text::reason(cause));
        let errno = match cause {
            Cause::Os(error) | Cause::Start(_, error) => sys::error_number(error),
            _ => error.raw_os_error(),
        };
        Failure { errno, ..failure }.path(error.path())
    }
}

/// A failure as a line.
pub(crate) fn failure(error: &Error) -> String {
    Failure::from(error).alone().line()
}

/// An entry that is gone, or would be.
pub(crate) fn entry(path: &Path, what: Kind, dry_run: bool) -> String {
    let verb = if dry_run { "would_remove" } else { "removed" };
    Object::new().path(verb, path).text("kind", kind(what)).line()
}

/// What a removal did in all.
pub(crate) fn summary(report: &Report, dry_run: bool) -> Object {
    let mut fields =
        Object::new().number("files", report.files).number("directories", report.directories);
    if let Some(bytes) = report.bytes {
        fields = fields.number("bytes", bytes);
    }
    fields
        .number("skipped", report.skipped)
        .number("appeared", report.appeared)
        .number("vanished", report.vanished)
        .number("errors", report.error_count)
        .boolean("interrupted", report.cancelled)
        .number("threads", report.threads as u64)
        .boolean("dry_run", dry_run)
}

/// The calls made, by kind, and all of them.
pub(crate) fn calls(calls: &Calls) -> Object {
    let by_kind =
        calls.iter().fold(Object::new(), |object, (name, count)| object.number(name, count));
    by_kind.number("total", calls.total())
}

pub(crate) fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Remove => "remove",
        Operation::OpenDirectory => "open_directory",
        Operation::ReadDirectory => "read_directory",
        Operation::Stat => "stat",
        Operation::ReadLink => "read_link",
        Operation::Access => "access",
        Operation::ReadAttributes => "read_attributes",
        Operation::ReadOwner => "read_owner",
        Operation::ReadFile => "read_file",
        Operation::Open => "open",
        Operation::CreateDirectory => "create_directory",
        Operation::Rename => "rename",
        Operation::Canonicalize => "canonicalize",
        Operation::Find => "find",
        Operation::Start => "start",
        Operation::Enter => "enter",
        Operation::Wait => "wait",
        Operation::Kill => "kill",
        _ => "other",
    }
}

/// One word for why it failed.
fn word_for(cause: &Cause) -> &'static str {
    match cause {
        Cause::Os(error) | Cause::Start(StartFailure::System | StartFailure::Directory, error) => {
            word(error)
        }
        Cause::MountPoint => "mount-point",
        Cause::BeingWrittenTo => "being-written-to",
        Cause::DotOrDotDot => "dot-or-dot-dot",
        Cause::RootDirectory => "root-directory",
        Cause::OtherFileSystem => "other-file-system",
        Cause::IsADirectory => "is-a-directory",
        Cause::Replaced => "replaced",
        Cause::Loop => "loop",
        Cause::Refused(refusal) => refusal.name(),
        Cause::Find(error) => error.word(),
        Cause::Start(why, _) => match why {
            StartFailure::ProgramMissing => "not-found",
            StartFailure::NotExecutable => "not-executable",
            StartFailure::InterpreterMissing { .. } => "interpreter-missing",
            StartFailure::BadFormat => "bad-format",
            StartFailure::TextBusy => "text-busy",
            StartFailure::NeedsElevation => "needs-elevation",
            _ => "other",
        },
        _ => "other",
    }
}

/// One word for what the system said.
fn word(error: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound => "not-found",
        Kind::PermissionDenied => "permission-denied",
        Kind::NotADirectory => "not-a-directory",
        Kind::IsADirectory => "is-a-directory",
        Kind::DirectoryNotEmpty => "directory-not-empty",
        Kind::AlreadyExists => "already-exists",
        Kind::ReadOnlyFilesystem => "read-only-filesystem",
        Kind::ResourceBusy => "resource-busy",
        Kind::StorageFull => "storage-full",
        Kind::FileTooLarge => "file-too-large",
        Kind::OutOfMemory => "out-of-memory",
        Kind::Interrupted => "interrupted",
        Kind::Unsupported => "unsupported",
        Kind::InvalidInput => "invalid",
        // The standard library has no kinds for these that can be used.
        _ => match sys::error_name(error).as_str() {
            "ELOOP" => "loop",
            "ENAMETOOLONG" => "name-too-long",
            "EMFILE" | "ENFILE" => "too-many-open-files",
            _ => "other",
        },
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Directory => "directory",
        kind if kind.is_link() => "symlink",
        Kind::Fifo => "fifo",
        Kind::Socket => "socket",
        Kind::CharacterDevice => "character_device",
        Kind::BlockDevice => "block_device",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::{Object, entry};
    use curt::Kind;
    use std::path::Path;

    #[test]
    fn objects_keep_the_order_of_their_fields() {
        let inner = Object::new().number("n", -1).boolean("yes", true);
        let line =
            Object::new().text("te\"xt", "a\nb").object("in", inner).objects("none", []).line();
        assert_eq!(line, "{\"te\\\"xt\":\"a\\nb\",\"in\":{\"n\":-1,\"yes\":true},\"none\":[]}\n");
        assert_eq!(Object::new().line(), "{}\n");
    }

    #[test]
    fn no_control_character_is_written_as_it_is() {
        assert_eq!(super::string("a\u{1b}\u{7f}\u{9b}é"), "\"a\\u001b\\u007f\\u009bé\"");
    }

    #[test]
    fn entries_say_what_they_were() {
        let line = entry(Path::new("a/b"), Kind::Fifo, false);
        assert_eq!(line, "{\"removed\":\"a/b\",\"kind\":\"fifo\"}\n");
    }
}
