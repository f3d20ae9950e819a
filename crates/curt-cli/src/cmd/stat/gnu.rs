//! GNU stat: formats for files and for their filesystems.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use curt::fields::{Follow, Time, Value};
use curt::list::Stat;
use curt::{Calls, Error, Fields, Kind, Metadata, Plan};

use super::format::{Directive, Part, Syntax, parse};
use super::{file_systems, query};
use crate::args::{StatFormat, StatOptions};
use crate::cmd::address;
use crate::cmd::ls::quoting_of_environment;
use crate::exit::Exit;
use crate::out::entry;
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::{Quoting, Style, masked, quote};
use crate::session::Session;
use crate::sys::{self, FileSystem, FileSystemType};
use crate::time::{Format, LocalZone, Zone};

const PERMISSIONS: u32 = 0o7777;
/// The unit of `st_blocks`.
const BLOCK: u64 = 512;

const FILE: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n";
const FILE_PLACE: &str = "Device: %Hd,%Ld\tInode: %-10i  Links: %h\n";
const DEVICE_PLACE: &str = "Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\n";
const ACCESS: &str = "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n\
                      Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const TERSE: &str = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const FILE_SYSTEM: &str = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n\
                           Block size: %-10s Fundamental block size: %S\n\
                           Blocks: Total: %-10b Free: %-10f Available: %a\n\
                           Inodes: Total: %-10c Free: %d\n";
const TERSE_FILE_SYSTEM: &str = "%n %i %l %t %s %S %b %f %a %c %d\n";

pub(super) fn run(options: &StatOptions, session: &Session) -> Exit {
    let (parts, device_parts) = match formats(options, session) {
        Ok(parts) => parts,
        Err(wrong) => {
            let wrong = quote(String::from_utf8_lossy(&wrong).as_ref());
            return session.refuse(&format!("{wrong}: invalid directive"));
        }
    };
    let quoting = Quoting {
        // As in GNU stat, only a format with `%N` reads `QUOTING_STYLE`.
        style: match &options.format_chosen {
            Some(format) if has_quoted_name(format) => {
                quoting_of_environment(session).unwrap_or(Style::ShellEscapeAlways)
            }
            _ => Style::Literal,
        },
        is_masked: session.is_terminal(),
        is_ascii: sys::has_c_locale("LC_CTYPE"),
        has_utf8_quotes: sys::has_utf8_locale(),
    };
    let zone = LocalZone::new(Zone::local);
    let printer = Printer { options, session, quoting, zone: &zone };
    let (count, calls) = if options.file_system {
        (printer.file_systems(&parts), Calls::default())
    } else {
        printer.files(&parts, &device_parts)
    };
    session.finish_counted("entries", (count, "path", "paths"), &calls)
}

type Formats = (Vec<Part>, Vec<Part>);

/// Returns the formats for files and for devices. The error is an invalid directive.
fn formats(options: &StatOptions, session: &Session) -> Result<Formats, Vec<u8>> {
    let has_halves = !options.file_system;
    let plain = Syntax { has_escapes: false, has_halves };
    let read = |format: &[u8], syntax| -> Result<Vec<Part>, Vec<u8>> {
        let parsed = parse(format, syntax)?;
        parsed.warnings.iter().for_each(|warning| session.note(warning));
        Ok(parsed.parts)
    };
    let default = |file: &str, device: &str| {
        Ok((read(file.as_bytes(), plain)?, read(device.as_bytes(), plain)?))
    };
    match (&options.format_chosen, options.file_system, options.terse) {
        (Some(StatFormat::Lines(format)), ..) => {
            let mut parts = read(format.as_encoded_bytes(), plain)?;
            parts.push(Part::Text(vec![b'\n']));
            Ok((parts.clone(), parts))
        }
        (Some(StatFormat::Printf(format)), ..) => {
            let syntax = Syntax { has_escapes: true, has_halves };
            let parts = read(format.as_encoded_bytes(), syntax)?;
            Ok((parts.clone(), parts))
        }
        (None, true, true) => default(TERSE_FILE_SYSTEM, ""),
        (None, true, false) => default(FILE_SYSTEM, ""),
        (None, false, true) => default(TERSE, TERSE),
        (None, false, false) => {
            default(&[FILE, FILE_PLACE, ACCESS].concat(), &[FILE, DEVICE_PLACE, ACCESS].concat())
        }
    }
}

fn has_quoted_name(format: &StatFormat) -> bool {
    let (StatFormat::Lines(format) | StatFormat::Printf(format)) = format;
    format.as_encoded_bytes().windows(2).any(|two| two == b"%N")
}

fn filled(parts: &[Part], mut add: impl FnMut(&Directive, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => out.extend_from_slice(text),
            Part::Directive(directive) => add(directive, &mut out),
        }
    }
    out
}

fn letters(parts: &[Part]) -> impl Iterator<Item = u8> {
    parts.iter().filter_map(|part| match part {
        Part::Directive(directive) => Some(directive.letter),
        Part::Text(_) => None,
    })
}

/// Returns the fields to read, with the kind, which decides between the default formats.
fn fields(parts: &[Part]) -> Fields {
    letters(parts).fold(Fields::KIND, |all, letter| {
        all | match letter {
            b'a' | b'A' | b'f' => Fields::MODE,
            b'b' => Fields::ALLOCATED,
            b'C' => Fields::LABEL,
            b'd' | b'D' | b'm' => Fields::DEVICE,
            b'F' | b's' => Fields::SIZE,
            b'g' => Fields::GROUP_ID,
            b'G' => sys::OWNERS.1,
            b'h' => Fields::LINKS,
            b'i' => Fields::ID,
            b'N' => Fields::TARGET,
            b'o' => Fields::BLOCK_SIZE,
            b'r' | b'R' | b't' | b'T' => Fields::DEVICE_NUMBER,
            b'u' => Fields::USER_ID,
            b'U' => sys::OWNERS.0,
            b'w' | b'W' => Fields::CREATED,
            b'x' | b'X' => Fields::ACCESSED,
            b'y' | b'Y' => Fields::MODIFIED,
            b'z' | b'Z' => Fields::CHANGED,
            _ => Fields::NONE,
        }
    })
}

struct Printer<'a> {
    options: &'a StatOptions,
    session: &'a Session,
    quoting: Quoting,
    zone: &'a LocalZone,
}

impl Printer<'_> {
    fn files(&self, parts: &[Part], device_parts: &[Part]) -> (u64, Calls) {
        let plan = Plan::new(fields(parts) | fields(device_parts));
        let follows = plan.follow(Follow::Links);
        let mut stat = Stat::new(if self.options.dereference { follows } else { plan });
        let mut calls = Calls::default();
        let mut count = 0;
        for operand in self.session.until_cancelled(&self.options.operands) {
            let path = Path::new(operand);
            let answer = if operand == "-" {
                standard_input(follows, &mut calls)
            } else {
                query(&mut stat, path, self.options).map_err(|error| {
                    let reason = text::reason(error.cause());
                    let message = format!("cannot statx {}: {reason}", quote(path));
                    (Failure::from(&error).path(path), message)
                })
            };
            match answer {
                Ok(metadata) => {
                    count += 1;
                    let is_device = matches!(
                        metadata.kind(),
                        Kind::BlockDevice | Kind::CharacterDevice | Kind::Whiteout
                    );
                    let parts = if is_device { device_parts } else { parts };
                    let file = File { path, metadata: &metadata };
                    let mut messages = Vec::new();
                    let out = filled(parts, |directive, out| {
                        messages.extend(self.add_field(&file, directive, out));
                    });
                    self.session.data(&out);
                    for message in messages {
                        let failure = Failure::new("stat", "other", message.clone());
                        self.session.fail_as(failure.path(path), &message);
                    }
                }
                Err((failure, message)) => self.session.fail_as(failure, &message),
            }
        }
        calls.add(&stat.calls());
        (count, calls)
    }

    fn add_field(&self, file: &File<'_>, to: &Directive, out: &mut Vec<u8>) -> Option<String> {
        let metadata = file.metadata;
        match to.letter {
            b'n' => to.text(&self.plain(file.path.as_os_str()), out),
            b'N' => return self.add_quoted(file, to, out),
            b'a' => {
                let permissions = metadata.mode().map(|mode| mode & PERMISSIONS);
                add_number(permissions, Directive::octal, to, out);
            }
            b'A' => match metadata.mode().known() {
                Some(mode) => {
                    let mut letters = Vec::new();
                    entry::add_mode(mode, metadata.kind(), &mut letters);
                    to.text(&letters, out);
                }
                None => to.text(b"?", out),
            },
            b'f' => hex(metadata.mode().map(u64::from), to, out),
            b'F' => {
                let is_empty = metadata.size().known() == Some(0);
                to.text(entry::kind_name(metadata.kind(), is_empty).as_bytes(), out);
            }
            b'b' => number(metadata.allocated().map(|bytes| bytes / BLOCK), to, out),
            b'B' => to.unsigned(BLOCK.into(), out),
            b's' => match metadata.size().known() {
                // As in GNU stat, the format can request a sign for the size.
                Some(size) => to.signed(i64::try_from(size).unwrap_or(i64::MAX), out),
                None => to.text(b"?", out),
            },
            b'o' => number(metadata.block_size(), to, out),
            b'h' => number(metadata.links(), to, out),
            b'i' => number(metadata.id(), to, out),
            b'd' => add_device(metadata.device(), to, out),
            b'D' => hex(metadata.device(), to, out),
            b'r' => add_device(metadata.device_number(), to, out),
            b'R' => hex(metadata.device_number(), to, out),
            b't' => hex(metadata.device_number().map(|it| sys::device_parts(it).0), to, out),
            b'T' => hex(metadata.device_number().map(|it| sys::device_parts(it).1), to, out),
            b'u' => number(metadata.user_id(), to, out),
            b'g' => number(metadata.group_id(), to, out),
            b'U' => {
                let named = metadata.user_id().known().and_then(|id| sys::user_name(id).ok()?);
                add_owner(metadata.user(), named.as_deref(), to, out);
            }
            b'G' => {
                let named = metadata.group_id().known().and_then(|id| sys::group_name(id).ok()?);
                add_owner(metadata.group(), named.as_deref(), to, out);
            }
            b'w' => self.add_time(metadata.created().known(), to, out),
            b'x' => self.add_time(metadata.accessed().known(), to, out),
            b'y' => self.add_time(metadata.modified().known(), to, out),
            b'z' => self.add_time(metadata.changed().known(), to, out),
            b'W' => to.seconds(metadata.created().known().unwrap_or_default(), out),
            b'X' => to.seconds(metadata.accessed().known().unwrap_or_default(), out),
            b'Y' => to.seconds(metadata.modified().known().unwrap_or_default(), out),
            b'Z' => to.seconds(metadata.changed().known().unwrap_or_default(), out),
            b'C' => return add_label(file, to, out),
            b'm' => return self.add_mount_point(file, to, out),
            _ => out.push(b'?'),
        }
        None
    }

    fn plain(&self, name: &OsStr) -> Vec<u8> {
        let bytes = name.as_encoded_bytes();
        if self.quoting.is_masked { masked(bytes).into_bytes() } else { bytes.to_vec() }
    }

    fn add_quoted(&self, file: &File<'_>, to: &Directive, out: &mut Vec<u8>) -> Option<String> {
        let quoted = |name: &OsStr| match self.quoting.style {
            Style::Literal => self.plain(name),
            _ => self.quoting.apply(name, "").0,
        };
        to.text(&quoted(file.path.as_os_str()), out);
        match file.metadata.target() {
            Value::Known(target) => {
                out.extend(b" -> ");
                to.text(&quoted(target.as_os_str()), out);
                None
            }
            Value::Failed(error) => Some(format!(
                "cannot read symbolic link {}: {}",
                quote(file.path),
                text::reason(error.cause())
            )),
            Value::Unsupported | Value::NotRequested => None,
        }
    }

    fn add_time(&self, time: Option<Time>, to: &Directive, out: &mut Vec<u8>) {
        let shown = time.map_or_else(
            || "-".to_owned(),
            |time| match self.zone.local_time(time) {
                Some(local) => Format::new("%Y-%m-%d %H:%M:%S.%N %z").apply(&local),
                None => format!("{}.{:09}", time.seconds, time.nanoseconds),
            },
        );
        to.text(shown.as_bytes(), out);
    }

    fn add_mount_point(
        &self,
        file: &File<'_>,
        to: &Directive,
        out: &mut Vec<u8>,
    ) -> Option<String> {
        match mount_point(file) {
            Ok(path) => {
                to.text(&self.plain(path.as_os_str()), out);
                None
            }
            Err(error) => {
                to.text(b"?", out);
                let reason = sys::error_text(&error);
                Some(format!("failed to canonicalize {}: {reason}", quote(file.path)))
            }
        }
    }

    fn file_systems(&self, parts: &[Part]) -> u64 {
        let needs_type = letters(parts).any(|letter| b"tT".contains(&letter));
        let mut count = 0;
        for operand in &self.options.operands {
            let path = Path::new(operand);
            if operand == "-" {
                let message =
                    "using '-' to denote standard input does not work in file system mode";
                let failure = Failure::new("stat", "invalid", message.to_owned());
                self.session.fail_as(failure.path(path), message);
                continue;
            }
            let kind = if needs_type { sys::file_system_type(path).map(Some) } else { Ok(None) };
            let found = sys::file_system(path).and_then(|found| Ok((found, kind?)));
            match found {
                Ok((found, kind)) => {
                    count += 1;
                    let out = filled(parts, |directive, out| match directive.letter {
                        b'n' => directive.text(&self.plain(operand), out),
                        _ => add_of_file_system(&found, kind.as_ref(), directive, out),
                    });
                    self.session.data(&out);
                }
                Err(error) => {
                    let reason = sys::error_text(&error);
                    let path = quote(operand);
                    let message =
                        format!("cannot read file system information for {path}: {reason}");
                    self.session.fail_as(Failure::os("stat", &error).path(operand), &message);
                }
            }
        }
        count
    }
}

struct File<'a> {
    path: &'a Path,
    metadata: &'a Metadata,
}

fn standard_input(plan: Plan, calls: &mut Calls) -> Result<Metadata, (Failure, String)> {
    let path = Path::new(sys::STANDARD_INPUT);
    let failed = |failure: Failure, reason: &str| {
        (failure.path("-"), format!("cannot stat standard input: {reason}"))
    };
    if sys::was_closed(0) {
        let error = sys::closed();
        return Err(failed(Failure::os("stat", &error), &sys::error_text(&error)));
    }
    let mut stat = Stat::new(plan);
    let answer = stat.path(path);
    calls.add(&stat.calls());
    answer.map_err(|error: Error| failed(Failure::from(&error), &text::reason(error.cause())))
}

fn add_device(device: Value<'_, u64>, to: &Directive, out: &mut Vec<u8>) {
    let part = |device| match to.half {
        Some(b'H') => sys::device_parts(device).0,
        Some(_) => sys::device_parts(device).1,
        None => device,
    };
    number(device.map(part), to, out);
}

/// Returns the mount point of a file: its topmost ancestor that is reached without leaving the
/// device.
fn mount_point(file: &File<'_>) -> std::io::Result<PathBuf> {
    let kind = file.metadata.kind();
    let mut top = if kind.is_link() {
        // A symlink is on the filesystem of its parent.
        let parent = file.path.parent().filter(|parent| *parent != Path::new(""));
        address(parent.unwrap_or(Path::new(".")))?
    } else {
        let mut path = address(file.path)?;
        if kind != Kind::Directory {
            path.pop();
        }
        path
    };
    let mut stat = Stat::new(Plan::new(Fields::DEVICE));
    let mut device =
        |path: &Path| -> std::io::Result<Option<u64>> { Ok(stat.path(path)?.device().known()) };
    let own = device(&top)?;
    while let Some(parent) = top.parent() {
        if own.is_none() || device(parent)? != own {
            break;
        }
        top.pop();
    }
    Ok(top)
}

fn number<T: Into<u128>>(value: Value<'_, T>, to: &Directive, out: &mut Vec<u8>) {
    add_number(value, Directive::unsigned, to, out);
}

fn hex(value: Value<'_, u64>, to: &Directive, out: &mut Vec<u8>) {
    add_number(value, Directive::hex, to, out);
}

fn add_number<T: Into<N>, N>(
    value: Value<'_, T>,
    form: impl Fn(&Directive, N, &mut Vec<u8>),
    to: &Directive,
    out: &mut Vec<u8>,
) {
    match value.known() {
        Some(number) => form(to, number.into(), out),
        None => to.text(b"?", out),
    }
}

fn add_owner(
    answered: Value<'_, &OsStr>,
    named: Option<&OsStr>,
    to: &Directive,
    out: &mut Vec<u8>,
) {
    let name = answered.known().or(named);
    to.text(name.map_or(b"UNKNOWN", OsStr::as_encoded_bytes), out);
}

fn add_label(file: &File<'_>, to: &Directive, out: &mut Vec<u8>) -> Option<String> {
    let reason = match file.metadata.label() {
        Value::Known(label) => {
            to.text(masked(label.as_encoded_bytes()).as_bytes(), out);
            return None;
        }
        Value::Failed(error) => text::reason(error.cause()),
        Value::Unsupported | Value::NotRequested => "No data available".to_owned(),
    };
    to.text(b"?", out);
    Some(format!("failed to get security context of {}: {reason}", quote(file.path)))
}

fn add_of_file_system(
    found: &FileSystem,
    kind: Option<&FileSystemType>,
    to: &Directive,
    out: &mut Vec<u8>,
) {
    let number = match to.letter {
        b'i' => return to.hex(found.id, out),
        b't' => match kind.and_then(|kind| kind.number) {
            Some(number) => return to.hex(number.into(), out),
            None => return out.push(b'?'),
        },
        b'T' => return to.text(type_name(kind).as_bytes(), out),
        b'l' => found.longest_name,
        b's' => found.block_size,
        b'S' => found.unit,
        b'b' => found.blocks,
        b'f' => found.free,
        b'a' => found.available,
        b'c' => found.files,
        b'd' => found.free_files,
        _ => return out.push(b'?'),
    };
    // As in GNU stat, these fields are signed numbers.
    if b"bfad".contains(&to.letter) {
        to.signed(i64::from_ne_bytes(number.to_ne_bytes()), out);
    } else {
        to.unsigned(number.into(), out);
    }
}

fn type_name(kind: Option<&FileSystemType>) -> String {
    let Some(FileSystemType { number, name }) = kind else { return "?".to_owned() };
    let known = || number.and_then(file_systems::name).map(str::to_owned);
    let unknown = || number.map(|number| format!("UNKNOWN (0x{number:x})"));
    name.clone().or_else(known).or_else(unknown).unwrap_or_else(|| "?".to_owned())
}
