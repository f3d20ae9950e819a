//! What the options come to.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

use curt::{Fields, Follow, Freshness, Plan, Threads};

use super::PROGRAM;
use super::colors::Palette;
use super::ls_colors::Unparsable;
use super::order::Order;
use super::times::Times;
use crate::args::{Clock, Format, LsOptions, Sort, Wish, parse_quoting, parse_width};
use crate::out::blocks::Blocks;
use crate::out::{self, entry};
use crate::quote::{Quoting, Style, quote};
use crate::sys;

/// How wide a line is where nobody says.
const WIDTH: usize = 80;
/// How far apart the tabs of terminals are.
const TAB: usize = 8;

/// What an entry becomes in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A line, or a part of one.
    Listing,
    /// These fields, separated by tabs.
    Fields(Vec<Fields>),
    /// An object with these fields.
    Json(Fields),
}

/// Which names are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    WithDot,
    OnlyDots,
    Nothing,
}

/// What is appended to names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Marks {
    None,
    Slash,
    Kinds,
    All,
}

/// Which operands that are links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    Themselves,
    /// Those that lead to directories.
    Directories,
    Followed,
}

/// How to list.
pub(super) struct Settings {
    pub(super) format: Format,
    pub(super) form: Form,
    pub(super) hidden: Hidden,
    pub(super) marks: Marks,
    pub(super) order: Order,
    pub(super) clock: Clock,
    pub(super) operands: Operands,
    pub(super) follow: bool,
    /// Directories are listed as entries.
    pub(super) themselves: bool,
    pub(super) recursive: bool,
    /// What sizes are shown in.
    pub(super) sizes: Blocks,
    /// What the room that entries take is shown in.
    pub(super) room: Blocks,
    pub(super) numeric: bool,
    pub(super) owner: bool,
    pub(super) group: bool,
    pub(super) acl: bool,
    pub(super) inode: bool,
    pub(super) blocks: bool,
    pub(super) palette: Option<Palette>,
    pub(super) times: Option<Times>,
    /// What ends a line.
    pub(super) end: u8,
    /// 0 is no limit.
    pub(super) width: usize,
    /// How far apart tabs are; 0 where none are written.
    pub(super) tab: usize,
    /// How names are shown in listings.
    pub(super) quoting: Quoting,
    /// Chosen fields go to a terminal, which must not act upon names in them.
    pub(super) quoted: bool,
    pub(super) threads: Threads,
}

impl Settings {
    /// The error says what is wrong with the options.
    pub(super) fn new(options: &LsOptions) -> Result<Settings, String> {
        let is_terminal = io::stdout().is_terminal();
        let format = format(options, is_terminal);
        let is_long = format == Format::Long;
        let clock = clock(options);
        let says_time = options.by_access || options.by_change || options.time.is_some();
        let unsorted = options.unsorted || options.raw;
        let by = match options.sort {
            Some(sort) => sort,
            None if options.by_size => Sort::Size,
            None if options.by_time => Sort::Time,
            None if options.by_extension => Sort::Extension,
            None if unsorted => Sort::None,
            None if says_time && !is_long => Sort::Time,
            None => Sort::Name,
        };
        let marks = marks(options, is_terminal);
        let operands = if options.dereference || options.dereference_command_line {
            Operands::Followed
        } else if options.directory || is_long || marks == Marks::All {
            Operands::Themselves
        } else {
            Operands::Directories
        };
        let form = form(options, is_long, clock)?;
        let hidden = match (options.all || options.raw, options.almost_all) {
            (true, _) => Hidden::Nothing,
            (_, true) => Hidden::OnlyDots,
            _ => Hidden::WithDot,
        };
        let is_listing = form == Form::Listing;
        let times = (is_long && is_listing).then(|| Times::new(options)).transpose()?;
        let palette = (wants_color(options, is_terminal) && is_listing)
            .then(|| Palette::from_environment(unparsable))
            .flatten();
        let has_columns = matches!(format, Format::Columns | Format::Across) && is_listing;
        // A colour that goes around the end of a line has to be ended there.
        let has_width = has_columns || palette.is_some();
        Ok(Settings {
            format,
            hidden,
            marks,
            order: Order {
                by,
                is_reversed: options.reverse,
                directories_first: options.group_directories_first,
            },
            clock,
            operands,
            times,
            follow: options.dereference,
            themselves: options.directory,
            recursive: options.recursive && !options.directory,
            sizes: sizes(options),
            room: room(options),
            numeric: options.numeric_uid_gid,
            owner: !options.no_owner,
            group: !(options.no_group || options.no_group_long),
            acl: options.acl,
            inode: options.inode && is_listing,
            blocks: options.size && is_listing,
            palette,
            end: if options.zero { 0 } else { b'\n' },
            width: if has_width { width(options, is_terminal) } else { WIDTH },
            tab: if has_columns { options.tabsize.unwrap_or_else(tab) } else { TAB },
            quoting: quoting(options, is_terminal),
            quoted: is_terminal && !options.zero,
            threads: options.threads.map_or(Threads::Automatic, |most| Threads::AtMost(most.get())),
            form,
        })
    }

    pub(super) fn is_long(&self) -> bool {
        self.format == Format::Long && self.form == Form::Listing
    }

    /// Whether an entry of this name is not left out.
    pub(super) fn shows(&self, name: &OsStr) -> bool {
        self.hidden != Hidden::WithDot || !name.as_encoded_bytes().starts_with(b".")
    }

    /// The room that entries take is shown, and its sum.
    pub(super) fn has_total(&self) -> bool {
        self.is_long() || self.blocks
    }

    /// Every entry can be shown as soon as it is known: there is no order and no column to wait
    /// for.
    pub(super) fn streams(&self) -> bool {
        let is_line = self.format == Format::OnePerLine || self.form != Form::Listing;
        self.order.by == Sort::None && is_line && !self.recursive && !self.blocks
    }

    /// It matters what links lead to, though the links are shown.
    pub(super) fn asks_for_targets(&self) -> bool {
        !self.follow
            && (self.order.directories_first || self.is_long() && self.marks > Marks::Slash)
    }

    /// What is asked about the entries of a directory.
    pub(super) fn plan(&self) -> Plan {
        // A listing tells what lies below a mount point, and not its own number.
        let exact =
            self.inode || matches!(self.form, Form::Json(fields) if fields.contains(Fields::ID));
        let freshness = if exact { Freshness::Exact } else { Freshness::FromListing };
        let mut fields = self.fields();
        // The name of a link is its own in any case.
        let follows = self.follow && fields != Fields::NAME;
        let follow = if follows { Follow::Links } else { Follow::Never };
        if follows && matches!(self.form, Form::Listing) {
            // What was followed and is a link all the same is broken.
            fields |= Fields::KIND;
        }
        Plan::new(fields).freshness(freshness).follow(follow)
    }

    /// What is asked about an operand: in any case what it is, and its mode where that is marked,
    /// in the same call.
    pub(super) fn operand_plan(&self) -> Plan {
        let mode = if self.marks == Marks::All { Fields::MODE } else { Fields::NONE };
        Plan::new(self.fields() | Fields::KIND | mode)
    }

    fn fields(&self) -> Fields {
        let mut fields = Fields::NAME;
        match &self.form {
            Form::Fields(list) => list.iter().for_each(|&field| fields |= field),
            Form::Json(asked) => fields |= *asked,
            Form::Listing if self.is_long() => {
                fields |= Fields::KIND | Fields::MODE | Fields::LINKS | Fields::SIZE;
                fields |= Fields::ALLOCATED | Fields::DEVICE_NUMBER | Fields::TARGET;
                fields |= time_field(self.clock);
                let more = [
                    (self.owner, sys::OWNERS.0),
                    (self.group, sys::OWNERS.1),
                    (self.acl, Fields::ACL),
                ];
                more.into_iter()
                    .filter(|&(wanted, _)| wanted)
                    .for_each(|(_, field)| fields |= field);
            }
            Form::Listing => {}
        }
        let needs_kind = self.recursive
            || self.order.directories_first
            || self.palette.is_some()
            || self.marks > Marks::None;
        let more = [
            (needs_kind, Fields::KIND),
            (self.inode, Fields::ID),
            (self.blocks, Fields::ALLOCATED),
            (self.order.by == Sort::Size, Fields::SIZE),
            (self.order.by == Sort::Time, time_field(self.clock)),
        ];
        more.into_iter().filter(|&(wanted, _)| wanted).for_each(|(_, field)| fields |= field);
        fields
    }
}

/// The field that holds a time.
pub(super) fn time_field(clock: Clock) -> Fields {
    match clock {
        Clock::Accessed => Fields::ACCESSED,
        Clock::Changed => Fields::CHANGED,
        Clock::Modified => Fields::MODIFIED,
        Clock::Created => Fields::CREATED,
    }
}

fn clock(options: &LsOptions) -> Clock {
    match options.time {
        Some(clock) => clock,
        None if options.by_access => Clock::Accessed,
        None if options.by_change => Clock::Changed,
        None => Clock::Modified,
    }
}

fn format(options: &LsOptions, is_terminal: bool) -> Format {
    let usual = if is_terminal { Format::Columns } else { Format::OnePerLine };
    options.format.unwrap_or(usual)
}

fn marks(options: &LsOptions, is_terminal: bool) -> Marks {
    match options.classify {
        Some(Wish::Always) => Marks::All,
        Some(Wish::Auto) if is_terminal => Marks::All,
        _ if options.file_type => Marks::Kinds,
        _ if options.slash => Marks::Slash,
        _ => Marks::None,
    }
}

fn form(options: &LsOptions, is_long: bool, clock: Clock) -> Result<Form, String> {
    let named = options.fields.as_deref().map(entry::fields_named).transpose()?;
    if !options.json {
        return Ok(named.map_or(Form::Listing, Form::Fields));
    }
    let usual = || {
        let mut fields = Fields::NAME | Fields::KIND | Fields::SIZE | time_field(clock);
        if is_long {
            fields |= Fields::MODE | Fields::LINKS | Fields::TARGET;
            fields |= if options.numeric_uid_gid {
                sys::OWNERS.0 | sys::OWNERS.1
            } else {
                Fields::USER | Fields::GROUP
            };
        }
        let more = [
            (options.inode, Fields::ID),
            (options.size, Fields::ALLOCATED),
            (options.acl, Fields::ACL),
        ];
        more.into_iter().filter(|&(wanted, _)| wanted).for_each(|(_, field)| fields |= field);
        fields
    };
    let fields =
        named.map_or_else(usual, |list| list.into_iter().fold(Fields::NONE, Fields::union));
    Ok(Form::Json(fields))
}

fn wants_color(options: &LsOptions, is_terminal: bool) -> bool {
    let is_refused = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match options.color {
        Some(Wish::Always) => true,
        Some(Wish::Auto) => is_terminal && !is_refused(),
        Some(Wish::Never) | None => false,
    }
}

fn width(options: &LsOptions, is_terminal: bool) -> usize {
    let terminal = || if is_terminal { sys::terminal_width() } else { None };
    let from_environment = || number("COLUMNS", "width");
    options.width.or_else(terminal).or_else(from_environment).unwrap_or(WIDTH)
}

fn room(options: &LsOptions) -> Blocks {
    if options.human_readable {
        return Blocks::HUMAN;
    }
    Blocks::from_environment(&["LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"])
}

/// As GNU ls has it, the last of the variables is about room alone.
fn sizes(options: &LsOptions) -> Blocks {
    let is_chosen =
        ["LS_BLOCK_SIZE", "BLOCK_SIZE"].iter().any(|name| std::env::var_os(name).is_some());
    if options.human_readable || is_chosen { room(options) } else { Blocks::BYTES }
}

/// How names are shown: as the last of the options says, or the environment, or as suits a
/// terminal. On one nothing is shown that it would act upon.
fn quoting(options: &LsOptions, is_terminal: bool) -> Quoting {
    let usual = if is_terminal { Style::ShellEscape } else { Style::Literal };
    let style = options.quoting_style.or_else(quoting_of_environment).unwrap_or(usual);
    let masks = options.hide_control_chars || is_terminal && !options.zero;
    Quoting { style, masks }
}

fn quoting_of_environment() -> Option<Style> {
    const VARIABLE: &str = "QUOTING_STYLE";
    let value = std::env::var_os(VARIABLE)?;
    let known = value.to_str().and_then(|word| parse_quoting(word).ok());
    if known.is_none() {
        let value = quote(&value);
        out::complain(&format!(
            "{PROGRAM}: ignoring invalid value of environment variable {VARIABLE}: {value}\n"
        ));
    }
    known
}

fn tab() -> usize {
    number("TABSIZE", "tab size").unwrap_or(TAB)
}

/// The number in a variable of the environment; what is none is said aloud and passed over.
fn number(variable: &str, what: &str) -> Option<usize> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty())?;
    let number = value.to_str().and_then(|value| parse_width(value).ok());
    if number.is_none() {
        let value = quote(&value);
        out::complain(&format!(
            "{PROGRAM}: ignoring invalid {what} in environment variable {variable}: {value}\n"
        ));
    }
    number
}

/// Says why there are no colours.
fn unparsable(why: &Unparsable) {
    if let Some(prefix) = &why.prefix {
        let prefix = String::from_utf8_lossy(prefix);
        out::complain(&format!("{PROGRAM}: unrecognized prefix: {}\n", quote(&*prefix)));
    }
    out::complain(&format!("{PROGRAM}: unparsable value for LS_COLORS environment variable\n"));
}
