//! The options of `curt stat`.

use std::ffi::OsString;

use clap::Args;

use super::help::fields_help;
use super::{OperandsOf, Options, OutputOptions, Positions};
use crate::called;

const LONG_ABOUT: &str = "\
Print the metadata of files, one field per line. All fields that one system call gives are printed \
by default, and the target of a symbolic link. Names are quoted as for a shell where they need it, \
also in a file or a pipe, so that each line is one field.

Called by the name 'stat', or with -c, --printf, -f or -t, prints what GNU stat prints. Then '-' \
is standard input.";

const NOTES: &str = "\
Directives of -c and --printf:
  %a %A  permissions, octal and letters      %n %N  name; quoted, with the target of a link
  %b %B  blocks; bytes in a block            %o     best size of reads and writes
  %C     SELinux label                       %r %R  device of a device file, decimal and hex
  %d %D  device, decimal and hexadecimal     %s     size in bytes
  %f     mode, hexadecimal                   %t %T  major and minor device of a device file
  %F     kind                                %u %U  owner, number and name
  %g %G  group, number and name              %w %W  time of birth, for people and in seconds
  %h     hard links                          %x %X  time of the last access
  %i     inode number                        %y %Y  time of the last change of contents
  %m     mount point                         %z %Z  time of the last change of any kind
  H and L before d and r choose the major and the minor part of a device.

Directives with -f:
  %a %f %b  blocks: available, free, all         %n     name
  %c %d     inodes: all, free                    %s %S  size of transfers, and of blocks
  %i     ID in hexadecimal                       %t %T  type, in hexadecimal and by name
  %l     longest name

Exit status:
  0  everything was found
  1  some metadata could not be read
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt stat file                      print the metadata of a file
  curt stat --fields size,modified *  print chosen fields
  curt stat -c '%a %n' *              print permissions in octal, and names";

#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Print the metadata of files", long_about = LONG_ABOUT, after_long_help = NOTES,
          after_help = EXAMPLES)]
pub(crate) struct StatOptions {
    /// The files to examine
    #[arg(value_name = "PATH", required = true)]
    pub(crate) operands: Vec<OsString>,

    /// Follow symbolic links
    ///
    /// A link that is broken or part of a loop is an error.
    #[arg(short = 'L', long)]
    pub(crate) dereference: bool,

    /// Print FORMAT and a newline for each file
    ///
    /// A directive is %, flags, a width and a precision as in printf, and a letter, listed below.
    #[arg(short = 'c', long, value_name = "FORMAT", allow_hyphen_values = true)]
    format: Option<OsString>,

    /// The same with escapes such as \n in FORMAT, and without the newline
    #[arg(long, value_name = "FORMAT", allow_hyphen_values = true)]
    printf: Option<OsString>,

    /// Print the status of the file system of each file
    #[arg(short, long)]
    pub(crate) file_system: bool,

    /// Print one line of numbers for each file
    #[arg(short, long)]
    pub(crate) terse: bool,

    /// Print the path and only these fields, separated by commas, in this order
    #[arg(long, value_name = "LIST",
          long_help = fields_help!(
              "Print the path and only these fields, separated by commas, in this order"
          ))]
    pub(crate) fields: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    /// The last format option.
    #[arg(skip)]
    pub(crate) format_chosen: Option<StatFormat>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StatFormat {
    /// A newline follows.
    Lines(OsString),
    /// With escapes.
    Printf(OsString),
}

impl StatOptions {
    /// Whether to print GNU stat's output.
    pub(crate) fn is_gnu(&self) -> bool {
        let is_other = self.fields.is_some() || self.output.json;
        let is_asked = self.format_chosen.is_some() || self.file_system || self.terse;
        is_asked || !is_other && called::name() == Some("stat")
    }
}

impl Options for StatOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);

    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        let is_printf = given.last(&[("format", false), ("printf", true)]);
        let (lines, printf) = (self.format.take(), self.printf.take());
        self.format_chosen = match is_printf {
            Some(true) => printf.map(StatFormat::Printf),
            Some(false) => lines.map(StatFormat::Lines),
            None => None,
        };
        let is_other = self.fields.is_some() || self.output.json;
        if self.is_gnu() && is_other {
            let words = "--fields and --json cannot be used with -c, --printf, -f or -t";
            return Err(words.to_owned());
        }
        Ok(())
    }
}
