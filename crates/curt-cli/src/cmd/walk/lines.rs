//! What is printed of an entry: its path, fields of it, a line of the caller's making, or JSON.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;

use curt::{Fields, Visited};

use super::filter::base_name;
use crate::args::WalkOptions;
use crate::out::entry::{self, Shown, Style};
use crate::quote::masked;
use crate::time::{LocalZone, Zone};

/// The shape of the lines.
pub(super) struct Lines {
    shape: Shape,
    end: u8,
    /// Standard output is a terminal, which must not act upon a name.
    shields: bool,
    zone: LocalZone,
}

enum Shape {
    Path,
    Line(Vec<Part>),
    Json(Fields),
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Field(Fields),
    Path,
    Parent,
    Depth,
}

/// What JSON tells where nothing else was asked for.
const USUAL: Fields = Fields::NAME.union(Fields::KIND);

impl Lines {
    /// Reads what the options say; the error says what is wrong.
    pub(super) fn new(options: &WalkOptions) -> Result<Lines, String> {
        let columns = options.fields.as_deref().map(columns).transpose()?;
        let shape = match (&options.format, columns) {
            // The path and the depth are in every object.
            (_, Some(columns)) if options.json => Shape::Json(asked(&columns)),
            (_, None) if options.json => Shape::Json(USUAL),
            (Some(format), _) => Shape::Line(parts(format)?),
            (None, Some(mut columns)) => {
                // A name alone says little in a list.
                for part in &mut columns {
                    if *part == Part::Field(Fields::NAME) {
                        *part = Part::Path;
                    }
                }
                Shape::Line(columns)
            }
            (None, None) => Shape::Path,
        };
        let end = if options.null { 0 } else { b'\n' };
        let shields = !options.null && io::stdout().is_terminal();
        Ok(Lines { shape, end, shields, zone: LocalZone::new(Zone::local) })
    }

    /// What has to be known of an entry.
    pub(super) fn asks(&self) -> Fields {
        match &self.shape {
            Shape::Path => Fields::NONE,
            Shape::Json(fields) => *fields,
            Shape::Line(parts) => asked(parts),
        }
    }

    /// Adds the line of an entry.
    pub(super) fn add(&self, entry: &Visited<'_>, to: &mut Vec<u8>) {
        let path = entry.path();
        match &self.shape {
            Shape::Path => {
                self.shielded(path.as_os_str(), to);
                to.push(self.end);
            }
            Shape::Json(fields) => {
                let name = base_name(entry);
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

    fn part(&self, entry: &Visited<'_>, path: &Path, part: &Part, to: &mut Vec<u8>) {
        match part {
            Part::Text(text) => to.extend_from_slice(text),
            Part::Path => self.shielded(path.as_os_str(), to),
            Part::Parent => self.shielded(parent(path).as_os_str(), to),
            Part::Depth => to.extend_from_slice(entry.depth().to_string().as_bytes()),
            Part::Field(field) => {
                let name = base_name(entry);
                let shown = Shown { name: &name, path, metadata: entry.metadata() };
                let style = Style { zone: &self.zone, quoted: self.shields };
                entry::add_field(&shown, *field, &style, to);
            }
        }
    }

    /// Adds a path. As find does it, what a terminal would act upon is a question mark there.
    fn shielded(&self, text: &OsStr, to: &mut Vec<u8>) {
        let bytes = text.as_encoded_bytes();
        if self.shields {
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

/// What has to be known for a line.
fn asked(parts: &[Part]) -> Fields {
    parts.iter().fold(Fields::NONE, |all, part| match part {
        // The letters of a mode say the kind too.
        Part::Field(field) => all | *field,
        _ => all,
    })
}

/// Fields side by side, with tabs between them.
fn columns(list: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for name in list.split(',').map(str::trim) {
        if !parts.is_empty() {
            parts.push(Part::Text(b"\t".to_vec()));
        }
        parts.push(match name {
            "path" => Part::Path,
            "depth" => Part::Depth,
            name => Part::Field(entry::fields_named(name)?[0]),
        });
    }
    Ok(parts)
}

/// Takes a format apart.
fn parts(format: &str) -> Result<Vec<Part>, String> {
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
                    return Err(format!("the format has an unknown escape '\\{other}'"));
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
                    return Err("the format has a '{' without a '}'".to_owned());
                };
                rest = after.chars();
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text).into_bytes()));
                }
                parts.push(match name {
                    "path" | "" => Part::Path,
                    "parent" => Part::Parent,
                    "depth" => Part::Depth,
                    name => Part::Field(entry::fields_named(name)?[0]),
                });
            }
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text.into_bytes()));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};
    use curt::Fields;

    #[test]
    fn formats_are_taken_apart() {
        let text = |text: &str| Part::Text(text.as_bytes().to_vec());
        assert_eq!(
            parts("{size}\\t{path} {{x}}"),
            Ok(vec![Part::Field(Fields::SIZE), text("\t"), Part::Path, text(" {x}")])
        );
        assert_eq!(parts(""), Ok(vec![]));
        for wrong in ["{size", "{colour}", "\\q", "end\\"] {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
    }
}
