//! How an entry is printed: its path, some fields, a line in a format, or JSON.

use std::ffi::OsStr;
use std::path::Path;

use curt::Fields;
use curt::walk::Visited;

use super::filter::name;
use crate::args::WalkOptions;
use crate::out::entry::{self, Shown, TextStyle};
use crate::quote::masked;
use crate::time::{LocalZone, Zone};

/// The shape of the lines.
pub(super) struct Lines {
    shape: Shape,
    end: u8,
    /// Names go to a terminal, which must not act upon them.
    is_masked: bool,
    zone: LocalZone,
}

enum Shape {
    Path,
    Line(Vec<FormatPart>),
    Json(Fields),
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FormatPart {
    Text(Vec<u8>),
    Field(Fields),
    Path,
    Parent,
    Depth,
}

/// The fields of JSON by default.
const DEFAULT: Fields = Fields::NAME.union(Fields::KIND);

impl Lines {
    /// The error says what is wrong with the options.
    pub(super) fn new(options: &WalkOptions, is_terminal: bool) -> Result<Lines, String> {
        let columns = options.fields.as_deref().map(columns).transpose()?;
        let shape = match (&options.format, columns) {
            // The path and the depth are in every object.
            (_, Some(columns)) if options.output.json => Shape::Json(fields(&columns)),
            (_, None) if options.output.json => Shape::Json(DEFAULT),
            (Some(format), _) => Shape::Line(parts(format)?),
            (None, Some(mut columns)) => {
                // A name without its directory says little in a list.
                for part in &mut columns {
                    if *part == FormatPart::Field(Fields::NAME) {
                        *part = FormatPart::Path;
                    }
                }
                Shape::Line(columns)
            }
            (None, None) => Shape::Path,
        };
        let end = if options.null { 0 } else { b'\n' };
        let is_masked = is_terminal && !options.null;
        Ok(Lines { shape, end, is_masked, zone: LocalZone::new(Zone::local) })
    }

    /// Returns the metadata that is printed.
    pub(super) fn fields(&self) -> Fields {
        match &self.shape {
            Shape::Path => Fields::NONE,
            Shape::Json(fields) => *fields,
            Shape::Line(parts) => fields(parts),
        }
    }

    /// Adds the line of an entry.
    pub(super) fn add(&self, entry: &Visited<'_>, to: &mut Vec<u8>) {
        let path = entry.path();
        match &self.shape {
            Shape::Path => {
                self.add_path(path.as_os_str(), to);
                to.push(self.end);
            }
            Shape::Json(fields) => {
                let name = name(entry);
                let shown = Shown { name: &name, path: &path, metadata: entry.metadata() };
                let line = entry::object(&shown, *fields).number("depth", entry.depth() as u64);
                to.extend_from_slice(line.line().as_bytes());
            }
            Shape::Line(parts) => {
                for part in parts {
                    self.part(entry, &path, part, to);
                }
                to.push(self.end);
            }
        }
    }

    fn part(&self, entry: &Visited<'_>, path: &Path, part: &FormatPart, to: &mut Vec<u8>) {
        match part {
            FormatPart::Text(text) => to.extend_from_slice(text),
            FormatPart::Path => self.add_path(path.as_os_str(), to),
            FormatPart::Parent => self.add_path(parent(path).as_os_str(), to),
            FormatPart::Depth => to.extend_from_slice(entry.depth().to_string().as_bytes()),
            FormatPart::Field(field) => {
                let name = name(entry);
                let shown = Shown { name: &name, path, metadata: entry.metadata() };
                let style = TextStyle { zone: &self.zone, is_quoted: self.is_masked };
                entry::add_field(&shown, *field, &style, to);
            }
        }
    }

    /// Adds a path. As find does, a terminal gets '?' for what it would act upon.
    fn add_path(&self, text: &OsStr, to: &mut Vec<u8>) {
        let bytes = text.as_encoded_bytes();
        if self.is_masked {
            to.extend(masked(bytes).into_bytes());
        } else {
            to.extend_from_slice(bytes);
        }
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

/// Returns the fields in a line.
fn fields(parts: &[FormatPart]) -> Fields {
    parts.iter().fold(Fields::NONE, |all, part| match part {
        FormatPart::Field(field) => all | *field,
        _ => all,
    })
}

/// Parses a list of fields, whose values a line separates by tabs.
fn columns(list: &str) -> Result<Vec<FormatPart>, String> {
    let mut parts = Vec::new();
    for name in list.split(',').map(str::trim) {
        if !parts.is_empty() {
            parts.push(FormatPart::Text(b"\t".to_vec()));
        }
        parts.push(part_named(name)?);
    }
    Ok(parts)
}

fn part_named(name: &str) -> Result<FormatPart, String> {
    Ok(match name {
        "path" => FormatPart::Path,
        "depth" => FormatPart::Depth,
        name => FormatPart::Field(entry::field_named(name, &["path", "depth"])?),
    })
}

/// Parses a format.
fn parts(format: &str) -> Result<Vec<FormatPart>, String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = format.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => text.push(match rest.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('0') => '\0',
                Some('\\') => '\\',
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!("unknown escape '\\{other}' in the format"));
                }
            }),
            '{' if rest.as_str().starts_with('{') => {
                rest.next();
                text.push('{');
            }
            '}' if rest.as_str().starts_with('}') => {
                rest.next();
                text.push('}');
            }
            '{' => {
                let Some((name, after)) = rest.as_str().split_once('}') else {
                    return Err("'{' without '}' in the format".to_owned());
                };
                rest = after.chars();
                if !text.is_empty() {
                    parts.push(FormatPart::Text(std::mem::take(&mut text).into_bytes()));
                }
                parts.push(match name {
                    "" => FormatPart::Path,
                    "parent" => FormatPart::Parent,
                    name if name.contains(':') => {
                        let field = name.split(':').next().unwrap_or_default();
                        return Err(format!(
                            "'{{{name}}}' in the format: fields have no width or alignment; \
                             write {{{field}}}"
                        ));
                    }
                    name => part_named(name)?,
                });
            }
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(FormatPart::Text(text.into_bytes()));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::{FormatPart, parts};
    use curt::Fields;

    #[test]
    fn formats_are_parsed() {
        let text = |text: &str| FormatPart::Text(text.as_bytes().to_vec());
        assert_eq!(
            parts("{size}\\t{path} {{x}}"),
            Ok(vec![FormatPart::Field(Fields::SIZE), text("\t"), FormatPart::Path, text(" {x}")])
        );
        assert_eq!(parts(""), Ok(vec![]));
        assert!(parts("{size:>8}").is_err_and(|error| error.ends_with("; write {size}")));
        for wrong in ["{size", "{colour}", "\\q", "end\\"] {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
    }
}
