//! How an entry is written: its path as fd has it, in colors and as a link where that is wanted, a
//! line in a format, or JSON.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};

use curt::Fields;
use curt::walk::Visited;

use crate::args::{FindOptions, When};
use crate::cmd::walk::template::Template;
use crate::out;
use crate::out::colors::{ColorKey, Palette};
use crate::out::entry::{self, Shown};
use crate::out::link;
use crate::quote::masked;
use crate::session::Session;
use crate::sys;

/// The shape of the lines.
pub(super) struct Paths {
    shape: Shape,
    /// Paths do not begin with `./`.
    is_stripped: bool,
    end: u8,
    /// Names go to a terminal, which must not act upon them.
    is_masked: bool,
    palette: Option<Palette>,
    /// The working directory, if paths are links.
    base: Option<PathBuf>,
}

enum Shape {
    Path,
    Format(Template),
    Json,
}

/// The fields of JSON.
const FIELDS: Fields = Fields::NAME.union(Fields::KIND);

impl Paths {
    /// The error says what is wrong with the options.
    pub(super) fn new(options: &FindOptions, session: &Session) -> Result<Paths, String> {
        let is_terminal = session.is_terminal();
        let shape = match &options.format {
            _ if options.output.json => Shape::Json,
            Some(format) => Shape::Format(Template::of_fd(&[format.into()])),
            None => Shape::Path,
        };
        let is_colored = match options.color {
            Some(When::Always) => true,
            None | Some(When::Auto) => is_terminal && out::is_colored(),
            Some(When::Never) => false,
        };
        let palette =
            if is_colored { Palette::from_environment(|text| session.warn(&text)) } else { None };
        let is_linked = match options.hyperlink {
            Some(When::Always) => true,
            Some(When::Auto) => is_colored,
            None | Some(When::Never) => false,
        };
        let base = if is_linked {
            Some(sys::working_directory().map_err(|error| {
                let cause = sys::error_text(&error);
                format!("cannot read the working directory, which --hyperlink needs: {cause}")
            })?)
        } else {
            None
        };
        let is_for_programs = options.null || !options.commands.is_empty() || options.list_details;
        Ok(Paths {
            shape,
            is_stripped: options.operands.is_empty()
                && (options.strip_cwd_prefix || !is_for_programs),
            end: if options.null { 0 } else { b'\n' },
            is_masked: is_terminal && !options.null,
            palette,
            base,
        })
    }

    /// Reads what the color of an entry depends on.
    pub(super) fn fetch(&self, entry: &mut Visited<'_>) {
        let depends = entry.kind().is_file() || entry.kind().is_dir();
        if self.palette.is_some() && depends && matches!(self.shape, Shape::Path) {
            entry.fetch(Fields::MODE);
        }
    }

    /// Returns the path of an entry as it is shown.
    pub(super) fn path<'e>(&self, entry: &'e Visited<'_>) -> Cow<'e, Path> {
        match entry.path() {
            Cow::Borrowed(path) if self.is_stripped => {
                Cow::Borrowed(path.strip_prefix(".").unwrap_or(path))
            }
            Cow::Owned(path) if self.is_stripped => {
                Cow::Owned(path.strip_prefix(".").unwrap_or(&path).to_owned())
            }
            path => path,
        }
    }

    /// Adds the line of an entry.
    pub(super) fn add(&self, entry: &Visited<'_>, to: &mut Vec<u8>) {
        let path = self.path(entry);
        match &self.shape {
            Shape::Path => self.add_path(entry, &path, to),
            Shape::Format(format) => {
                self.add_text(&format.line(path.as_os_str()), to);
                to.push(self.end);
            }
            Shape::Json => {
                let name = entry.name();
                let shown = Shown { name: &name, path: &path, metadata: entry.metadata() };
                let object = entry::object(&shown, FIELDS).number("depth", entry.depth() as u64);
                to.extend_from_slice(object.line().as_bytes());
            }
        }
    }

    fn add_path(&self, entry: &Visited<'_>, path: &Path, to: &mut Vec<u8>) {
        let slash = if entry.kind().is_dir() { MAIN_SEPARATOR_STR } else { "" };
        if let Some(base) = &self.base {
            link::begin(&base.join(path.strip_prefix(".").unwrap_or(path)), to);
        }
        if let Some(palette) = &self.palette {
            let name = entry.name();
            let whole = path.as_os_str().as_encoded_bytes();
            let parent = whole.len().saturating_sub(name.len());
            let metadata = entry.metadata();
            let directory = ColorKey::new(b"", curt::Kind::Directory, None);
            let mode = metadata.mode().known();
            let key = ColorKey::new(name.as_encoded_bytes(), entry.kind(), mode);
            let text = |bytes: &[u8]| self.text(bytes).into_owned();
            add_colored(palette, palette.color(directory), &text(&whole[..parent]), to);
            let mut name = text(&whole[parent..]);
            name.extend_from_slice(slash.as_bytes());
            add_colored(palette, palette.color(key), &name, to);
        } else {
            self.add_text(path.as_os_str(), to);
            to.extend_from_slice(slash.as_bytes());
        }
        if self.base.is_some() {
            link::end(to);
        }
        to.push(self.end);
    }

    fn add_text(&self, text: &OsStr, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.text(text.as_encoded_bytes()));
    }

    /// Returns a text as it is written. A terminal gets '?' for what it would act upon.
    fn text<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        if self.is_masked { Cow::Owned(masked(bytes).into_bytes()) } else { Cow::Borrowed(bytes) }
    }
}

fn add_colored(palette: &Palette, color: Option<&[u8]>, text: &[u8], to: &mut Vec<u8>) {
    match color {
        _ if text.is_empty() => {}
        Some(color) => {
            palette.begin(color, to);
            to.extend_from_slice(text);
            palette.end(to);
        }
        None => to.extend_from_slice(text),
    }
}
