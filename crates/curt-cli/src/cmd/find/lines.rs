//! Formats an entry as a path (colored or hyperlinked), as fields, with `--format` or as JSON.

use std::borrow::Cow;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};

use curt::Fields;
use curt::walk::Visited;

use super::names::without_dot;
use super::template::{self, Part, PathPart};
use crate::args::{FindOptions, When};
use crate::cmd::working_directory;
use crate::out;
use crate::out::colors::{ColorKey, Palette};
use crate::out::entry::{self, Shown, TextStyle};
use crate::out::link;
use crate::quote::{for_terminal, masked};
use crate::session::Session;
use crate::time::{LocalZone, Zone};

pub(super) struct Lines {
    shape: Shape,
    is_stripped: bool,
    end: u8,
    is_masked: bool,
    zone: LocalZone,
    palette: Option<Palette>,
    base: Option<PathBuf>,
}

enum Shape {
    Path,
    Line(Vec<Part>),
    Json { fields: Fields, has_parent: bool },
}

const DEFAULT: Fields = Fields::NAME.union(Fields::KIND);

impl Lines {
    pub(super) fn new(options: &FindOptions, session: &Session) -> Result<Lines, String> {
        let is_terminal = session.is_terminal();
        let columns = options.fields.as_deref().map(template::columns).transpose()?;
        let shape = match (&options.format, columns) {
            // JSON always includes the path and the depth.
            (_, columns) if options.output.json => Shape::Json {
                fields: columns.as_deref().map_or(DEFAULT, fields),
                has_parent: columns.is_some_and(|it| it.contains(&Part::Path(PathPart::Parent))),
            },
            (Some(format), _) => Shape::Line(template::format(format)?),
            (None, Some(columns)) => Shape::Line(separated(columns)),
            (None, None) => Shape::Path,
        };
        let color = options.color.unwrap_or(When::Auto);
        let is_colored = color.applies(is_terminal && out::is_colored());
        let palette = || Palette::from_environment(|text| session.note(&text));
        let is_linked = options.hyperlink.is_some_and(|when| when.applies(is_colored));
        let base = is_linked.then(|| working_directory("--hyperlink")).transpose()?;
        let is_for_programs = options.null || !options.commands.is_empty() || options.list_details;
        Ok(Lines {
            shape,
            is_stripped: options.operands.is_empty()
                && (options.strip_cwd_prefix || !is_for_programs),
            end: if options.null { 0 } else { b'\n' },
            is_masked: is_terminal && !options.null,
            zone: LocalZone::new(Zone::local),
            palette: is_colored.then(palette).flatten(),
            base,
        })
    }

    pub(super) fn fields(&self) -> Fields {
        match &self.shape {
            Shape::Path => Fields::NONE,
            Shape::Json { fields, .. } => *fields,
            Shape::Line(parts) => fields(parts),
        }
    }

    pub(super) fn fetch_color(&self, entry: &mut Visited<'_>) {
        let depends = entry.kind().is_file() || entry.kind().is_dir();
        if self.palette.is_some() && depends && matches!(self.shape, Shape::Path) {
            entry.fetch(Fields::MODE);
        }
    }

    pub(super) fn path<'e>(&self, entry: &'e Visited<'_>) -> Cow<'e, Path> {
        match entry.path() {
            path if !self.is_stripped => path,
            Cow::Borrowed(path) => Cow::Borrowed(without_dot(path)),
            Cow::Owned(path) => Cow::Owned(without_dot(&path).to_owned()),
        }
    }

    pub(super) fn add(&self, entry: &Visited<'_>, to: &mut Vec<u8>) {
        let path = self.path(entry);
        match &self.shape {
            Shape::Path => {
                self.add_path(entry, &path, to);
                to.push(self.end);
            }
            Shape::Line(parts) => {
                for part in parts {
                    self.add_part(entry, &path, part, to);
                }
                to.push(self.end);
            }
            Shape::Json { fields, has_parent } => {
                let name = entry.name();
                let shown = Shown { name: &name, path: &path, metadata: entry.metadata() };
                let mut object =
                    entry::object(&shown, *fields).number("depth", entry.depth() as u64);
                if *has_parent {
                    let parent = PathPart::Parent.of(path.as_os_str());
                    object = object.path("parent", Path::new(&parent));
                }
                to.extend_from_slice(object.line().as_bytes());
            }
        }
    }

    fn add_part(&self, entry: &Visited<'_>, path: &Path, part: &Part, to: &mut Vec<u8>) {
        match part {
            Part::Text(text) => to.extend_from_slice(text.as_encoded_bytes()),
            Part::Path(PathPart::Whole) => self.add_text(path.as_os_str().as_encoded_bytes(), to),
            Part::Path(part) => self.add_text(part.of(path.as_os_str()).as_encoded_bytes(), to),
            Part::Depth => to.extend_from_slice(entry.depth().to_string().as_bytes()),
            Part::Field(field) => {
                let name = entry.name();
                let shown = Shown { name: &name, path, metadata: entry.metadata() };
                let style = TextStyle { zone: &self.zone, is_quoted: self.is_masked };
                entry::add_field(&shown, *field, &style, to);
            }
        }
    }

    fn add_path(&self, entry: &Visited<'_>, path: &Path, to: &mut Vec<u8>) {
        let slash = if entry.kind().is_dir() { MAIN_SEPARATOR_STR } else { "" };
        if let Some(base) = &self.base {
            link::begin(b"", &base.join(without_dot(path)), to);
            to.extend_from_slice(b"\x1b\\");
        }
        // As in ls, quote a path only if a shell or a terminal would misread it.
        let quoted = self.is_masked.then(|| for_terminal(path, ""));
        let quoted = quoted.filter(|quoted| path.to_str() != Some(quoted));
        let whole = quoted.as_ref().map_or(path.as_os_str().as_encoded_bytes(), |it| it.as_bytes());
        if let Some(palette) = &self.palette {
            let name = entry.name();
            // A quoted path has a single color, inside its quotes.
            let parent = if quoted.is_some() { 0 } else { whole.len().saturating_sub(name.len()) };
            let directory = ColorKey::new(b"", curt::Kind::Directory, None);
            let mode = entry.metadata().mode().known();
            let key = ColorKey::new(name.as_encoded_bytes(), entry.kind(), mode);
            let mut colored = |color: Option<&[u8]>, text: &[u8], slash: &str| {
                if text.is_empty() {
                    return;
                }
                if let Some(color) = color {
                    palette.begin(color, to);
                }
                to.extend_from_slice(text);
                to.extend_from_slice(slash.as_bytes());
                if color.is_some() {
                    palette.end(to);
                }
            };
            colored(palette.color(directory), &whole[..parent], "");
            colored(palette.color(key), &whole[parent..], slash);
        } else {
            to.extend_from_slice(whole);
            to.extend_from_slice(slash.as_bytes());
        }
        if self.base.is_some() {
            to.extend_from_slice(b"\x1b]8;;\x1b\\");
        }
    }

    fn add_text(&self, text: &[u8], to: &mut Vec<u8>) {
        if self.is_masked {
            to.extend(masked(text).into_bytes());
        } else {
            to.extend_from_slice(text);
        }
    }
}

fn fields(parts: &[Part]) -> Fields {
    parts.iter().fold(Fields::NONE, |all, part| match part {
        Part::Field(field) => all | *field,
        Part::Path(PathPart::Name) => all | Fields::NAME,
        _ => all,
    })
}

fn separated(columns: Vec<Part>) -> Vec<Part> {
    let tab = || Part::Text("\t".into());
    columns.into_iter().flat_map(|column| [tab(), column]).skip(1).collect()
}
