use std::ffi::OsString;

use clap::Args;

use super::help::fields_help;
use super::{OperandsOf, Options, OutputOptions, Positions};
use crate::called;

const LONG_ABOUT: &str = "\
Print the metadata of files, one field per line: all fields of one system call, and the target of \
a symbolic link. With -c, --printf, -f or -t, or under the name 'stat', prints what GNU stat \
prints.";

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
  H and L before d and r select the major and the minor part of a device.

Directives with -f:
  %a %f %b  blocks: available, free, all         %n     name
  %c %d     inodes: all, free                    %s %S  size of transfers, and of blocks
  %i     ID in hexadecimal                       %t %T  type, in hexadecimal and by name
  %l     longest name

Names are quoted as for a shell if needed, also in files and pipes, so each line is one field. In \
GNU's formats, '-' is standard input.

Exit status:
  0  everything was found
  1  some metadata could not be read
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt stat file                      the metadata of a file
  curt stat --fields size,modified *  chosen fields
  curt stat -c '%a %n' *              octal permissions and names";

#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Print the metadata of files", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct StatOptions {
    /// The files to examine
    #[arg(value_name = "PATH", required = true)]
    pub(crate) operands: Vec<OsString>,

    /// Follow symbolic links
    ///
    /// Broken links and loops are errors.
    #[arg(short = 'L', long)]
    pub(crate) dereference: bool,

    /// Print the path and only these fields; separate names by commas
    #[arg(long, value_name = "LIST",
          long_help = fields_help!(
              "Print the path and only these fields; separate names by commas"
          ))]
    pub(crate) fields: Option<String>,

    /// Print FORMAT and a newline for each file
    ///
    /// A directive is %, then flags, width and precision as in printf, then a letter, listed below.
    #[arg(short = 'c', long, value_name = "FORMAT", allow_hyphen_values = true)]
    format: Option<OsString>,

    /// Like --format, with escapes such as \n and without the newline
    #[arg(long, value_name = "FORMAT", allow_hyphen_values = true)]
    printf: Option<OsString>,

    /// Print the status of each file's filesystem
    #[arg(short, long)]
    pub(crate) file_system: bool,

    /// Print one line of numbers for each file
    #[arg(short, long)]
    pub(crate) terse: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    #[arg(skip)]
    pub(crate) format_chosen: Option<StatFormat>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StatFormat {
    /// `--format`: a newline follows each file.
    Lines(OsString),
    /// `--printf`: escapes are expanded, and no newline is added.
    Printf(OsString),
}

impl StatOptions {
    pub(crate) fn is_gnu(&self) -> bool {
        let has_curt_option = self.fields.is_some() || self.output.json;
        let has_gnu_option = self.format_chosen.is_some() || self.file_system || self.terse;
        has_gnu_option || !has_curt_option && called::name() == Some("stat")
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
        let has_curt_option = self.fields.is_some() || self.output.json;
        if self.is_gnu() && has_curt_option {
            let words = "--fields and --json cannot be used with -c, --printf, -f or -t";
            return Err(words.to_owned());
        }
        Ok(())
    }
}
