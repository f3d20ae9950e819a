use std::ffi::OsStr;

use curt::fields::{Follow, Freshness};
use curt::{Fields, Plan};

use super::ignored::Ignored;
use super::times::Times;
use crate::args::{Format, Hidden, LsOptions, Marks, Sort, parse_tab_size, parse_width};
use crate::out;
use crate::out::blocks::Blocks;
use crate::out::colors::{Needs, Palette};
use crate::out::entry::{self, fields_if};
use crate::quote::{Quoting, Style, quote};
use crate::session::Session;
use crate::sys;
use crate::words::abbreviated;

const WIDTH: usize = 80;
const TAB: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One of GNU's formats, with one or more entries per line.
    Listing,
    Fields(Vec<Fields>),
    Json(Fields),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowOperands {
    Never,
    Directories,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) by: Sort,
    pub(super) is_reversed: bool,
    pub(super) directories_first: bool,
}

pub(super) struct Settings<'a> {
    pub(super) options: &'a LsOptions,
    pub(super) format: Format,
    pub(super) form: Form,
    pub(super) marks: Marks,
    pub(super) order: Order,
    pub(super) follow_operands: FollowOperands,
    pub(super) size_unit: Blocks,
    pub(super) block_unit: Blocks,
    pub(super) shows_inode: bool,
    pub(super) shows_blocks: bool,
    pub(super) palette: Option<Palette>,
    pub(super) color_needs: Needs,
    pub(super) ignored: Ignored,
    pub(super) has_links: bool,
    pub(super) times: Option<Times>,
    pub(super) width: usize,
    pub(super) tab: usize,
    pub(super) quoting: Quoting,
    pub(super) is_quoted: bool,
}

impl<'a> Settings<'a> {
    pub(super) fn new(
        options: &'a LsOptions,
        fields: Option<Vec<Fields>>,
        session: &Session,
    ) -> Result<Self, String> {
        let is_terminal = session.is_terminal();
        let default = if is_terminal { Format::Columns } else { Format::OnePerLine };
        let format = options.format.unwrap_or(default);
        let is_long = format == Format::Long;
        let by = match options.sort {
            Some(sort) => sort,
            None if options.time.is_some() && !is_long => Sort::Time,
            None => Sort::Name,
        };
        let marks = options.marks.iter().rfind(|(_, when)| when.applies(is_terminal));
        let marks = marks.map_or(Marks::None, |&(marks, _)| marks);
        let follow_operands = if options.follow.is_some() {
            FollowOperands::Always
        } else if options.follows_directories {
            FollowOperands::Directories
        } else if options.directory || is_long || marks == Marks::All {
            FollowOperands::Never
        } else {
            FollowOperands::Directories
        };
        let form = form(options, fields, is_long);
        let is_listing = form == Form::Listing;
        if options.tree && matches!(form, Form::Fields(_)) {
            return Err("--tree with --fields needs --json".to_owned());
        }
        let has_links =
            is_listing && options.hyperlink.is_some_and(|when| when.applies(is_terminal));
        let times = (is_long && is_listing).then(|| Times::new(options)).transpose()?;
        let is_colored = is_terminal && !out::refuses_color();
        let is_colored = is_listing && options.color.is_some_and(|it| it.applies(is_colored));
        let palette = || Palette::from_environment(|problem| session.note(&problem));
        let palette = is_colored.then(palette).flatten();
        let has_columns =
            matches!(format, Format::Columns | Format::Across | Format::Commas) && is_listing;
        // Colors need the width, too, to clear the background if a name wraps.
        let has_width = has_columns || palette.is_some();
        let tab_of_environment =
            || of_environment("TABSIZE", "tab size in", |word| parse_tab_size(word).ok(), session);
        let chosen_tab = || options.tabsize.or_else(tab_of_environment);
        Ok(Settings {
            options,
            format,
            marks,
            order: Order {
                by,
                is_reversed: options.reverse,
                directories_first: options.group_directories_first,
            },
            follow_operands,
            times,
            size_unit: size_unit(options),
            block_unit: block_unit(options),
            shows_inode: options.inode && is_listing,
            shows_blocks: options.size && is_listing,
            color_needs: palette.as_ref().map(Palette::needs).unwrap_or_default(),
            palette,
            ignored: Ignored::new(options),
            has_links,
            width: if has_width { width(options, session) } else { WIDTH },
            tab: if has_columns { chosen_tab().unwrap_or(TAB) } else { TAB },
            quoting: quoting(options, session),
            is_quoted: is_terminal && !options.zero,
            form,
        })
    }

    pub(super) fn time(&self) -> Fields {
        time(self.options)
    }

    pub(super) fn follows(&self) -> bool {
        self.options.follow == Some(Follow::Links)
    }

    pub(super) fn end(&self) -> u8 {
        if self.options.zero { 0 } else { b'\n' }
    }

    pub(super) fn is_long(&self) -> bool {
        self.format == Format::Long && self.form == Form::Listing
    }

    pub(super) fn is_json(&self) -> bool {
        matches!(self.form, Form::Json(_))
    }

    pub(super) fn shows(&self, name: &OsStr) -> bool {
        let is_hidden =
            self.options.hidden == Hidden::Dotted && name.as_encoded_bytes().starts_with(b".");
        !is_hidden && !self.ignored.contains(name)
    }

    pub(super) fn is_recursive(&self) -> bool {
        self.options.recursive || self.options.tree
    }

    pub(super) fn aligns_names(&self) -> bool {
        match self.format {
            Format::Long => !self.options.tree,
            Format::Columns | Format::Across => self.width > 0 && !self.options.tree,
            Format::OnePerLine | Format::Commas => false,
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.options.depth.unwrap_or(usize::MAX)
    }

    pub(super) fn has_total(&self) -> bool {
        (self.is_long() || self.shows_blocks) && !self.options.tree
    }

    /// Returns whether entries can be printed as they are read: neither sorting nor column widths
    /// need all of them.
    pub(super) fn streams(&self) -> bool {
        let is_line = self.format == Format::OnePerLine || self.form != Form::Listing;
        self.order.by == Sort::None
            && is_line
            && !self.options.recursive
            && !self.options.tree
            && !self.shows_blocks
    }

    /// Returns whether the kinds of symlink targets are needed although symlinks are not followed.
    pub(super) fn needs_targets(&self) -> bool {
        !self.follows()
            && (self.order.directories_first
                || self.is_long() && self.marks > Marks::Slash
                || self.color_needs.targets
                || self.is_long() && self.color_needs.long_targets)
    }

    pub(super) fn needs(&self) -> (Fields, Fields) {
        let mode = fields_if(&[(self.marks == Marks::All, Fields::MODE)]);
        (self.color_needs.of_files | mode, self.color_needs.of_directories)
    }

    pub(super) fn plan(&self) -> Plan {
        // Do not take inode numbers from the listing, which has the covered directory's number for
        // a mount point.
        let is_exact = self.shows_inode
            || matches!(self.form, Form::Json(fields) if fields.contains(Fields::ID));
        let freshness = if is_exact { Freshness::Exact } else { Freshness::FromListing };
        let mut fields = self.fields();
        // Names do not depend on following symlinks.
        let follows = self.follows() && fields != Fields::NAME;
        let follow = if follows { Follow::Links } else { Follow::Never };
        if follows && self.form == Form::Listing {
            // The kind shows broken symlinks, which remain symlinks when followed.
            fields |= Fields::KIND;
        }
        Plan::new(fields).freshness(freshness).follow(follow)
    }

    pub(super) fn operand_plan(&self) -> Plan {
        let (of_files, of_directories) = self.needs();
        Plan::new(self.fields() | Fields::KIND | of_files | of_directories)
    }

    fn fields(&self) -> Fields {
        let mut fields = Fields::NAME;
        match &self.form {
            Form::Fields(list) => fields |= entry::union(list),
            Form::Json(chosen) => fields |= *chosen,
            Form::Listing if self.is_long() => {
                fields |= Fields::KIND | Fields::MODE | Fields::LINKS | Fields::SIZE;
                fields |= Fields::ALLOCATED | Fields::DEVICE_NUMBER | Fields::TARGET;
                fields |= self.time();
                fields |= fields_if(&[
                    (!self.options.no_owner || self.options.author, sys::OWNERS.0),
                    (!self.options.hides_group, sys::OWNERS.1),
                    (self.options.acl, Fields::ACL),
                ]);
            }
            Form::Listing => {}
        }
        let needs_kind = self.options.recursive
            || self.options.tree
            || self.options.total
            || self.has_links
            || self.order.directories_first
            || self.palette.is_some()
            || self.marks > Marks::None;
        fields
            | fields_if(&[
                (needs_kind, Fields::KIND),
                (self.shows_inode, Fields::ID),
                (self.shows_blocks, Fields::ALLOCATED),
                (self.order.by == Sort::Size || self.options.total, Fields::SIZE),
                (self.order.by == Sort::Time, self.time()),
            ])
    }
}

fn time(options: &LsOptions) -> Fields {
    options.time.unwrap_or(Fields::MODIFIED)
}

fn form(options: &LsOptions, named: Option<Vec<Fields>>, is_long: bool) -> Form {
    if !options.output.json {
        return named.map_or(Form::Listing, Form::Fields);
    }
    let default = || {
        let mut fields = Fields::NAME | Fields::KIND | Fields::SIZE | time(options);
        if is_long {
            fields |= Fields::MODE | Fields::LINKS | Fields::TARGET;
            fields |= if options.numeric_uid_gid {
                sys::OWNERS.0 | sys::OWNERS.1
            } else {
                Fields::USER | Fields::GROUP
            };
        }
        fields
            | fields_if(&[
                (options.inode, Fields::ID),
                (options.size, Fields::ALLOCATED),
                (options.acl, Fields::ACL),
            ])
    };
    Form::Json(named.map_or_else(default, |list| entry::union(&list)))
}

fn width(options: &LsOptions, session: &Session) -> usize {
    let of_terminal = || if session.is_terminal() { sys::terminal_width() } else { None };
    let is_set = || std::env::var_os("COLUMNS").is_some_and(|value| !value.is_empty());
    let parse = |word: &str| parse_width(word).ok();
    let of_environment =
        || is_set().then(|| of_environment("COLUMNS", "width in", parse, session))?;
    options.width.or_else(of_terminal).or_else(of_environment).unwrap_or(WIDTH)
}

fn block_unit(options: &LsOptions) -> Blocks {
    if let Some(unit) = &options.unit {
        return unit.clone();
    }
    if options.kibibytes {
        return Blocks::KILOBYTES;
    }
    Blocks::from_environment(&["LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"])
}

/// Returns the unit of file sizes. As in GNU ls, `-k` and `BLOCKSIZE` affect only allocated space.
fn size_unit(options: &LsOptions) -> Blocks {
    if let Some(unit) = &options.unit {
        return unit.clone();
    }
    let variables = ["LS_BLOCK_SIZE", "BLOCK_SIZE"];
    let is_chosen = variables.iter().any(|name| std::env::var_os(name).is_some());
    if is_chosen { Blocks::from_environment(&variables) } else { Blocks::BYTES }
}

/// Returns how to quote names. By default, a terminal gets no control characters.
fn quoting(options: &LsOptions, session: &Session) -> Quoting {
    let is_terminal = session.is_terminal();
    let default = if is_terminal { Style::ShellEscape } else { Style::Literal };
    let of_environment = || quoting_of_environment(session);
    let style = options.quoting_style.or_else(of_environment).unwrap_or(default);
    let is_masked = options.masks.unwrap_or(is_terminal);
    // By default, a terminal gets letters of all scripts, even in the C locale.
    let is_chosen =
        style != default || options.quoting_style.is_some() || options.masks == Some(true);
    // Literal names do not need the locale.
    let is_plain = style == Style::Literal && !is_masked;
    let is_ascii = is_chosen && !is_plain && sys::has_c_locale("LC_CTYPE");
    let has_utf8_quotes = matches!(style, Style::Locale | Style::CLocale) && sys::has_utf8_locale();
    Quoting { style, is_masked, is_ascii, has_utf8_quotes }
}

pub(in crate::cmd) fn quoting_of_environment(session: &Session) -> Option<Style> {
    let parse = |word: &str| abbreviated(&Style::WORDS, word).ok();
    of_environment("QUOTING_STYLE", "value of", parse, session)
}

/// Parses an environment variable. Ignores an invalid value, with a warning.
fn of_environment<T>(
    variable: &str,
    what: &str,
    parse: impl Fn(&str) -> Option<T>,
    session: &Session,
) -> Option<T> {
    let value = std::env::var_os(variable)?;
    let found = value.to_str().and_then(parse);
    if found.is_none() {
        let value = quote(&value);
        session.note(&format!("ignoring invalid {what} environment variable {variable}: {value}"));
    }
    found
}
