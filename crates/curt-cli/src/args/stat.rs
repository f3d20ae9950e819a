//! The options of `curt stat`.

use std::ffi::OsString;

use clap::Args;

use super::OutputOptions;
use super::help::fields_help;

const LONG_ABOUT: &str = "\
Print the metadata of files, one field per line. All fields that one system call gives are printed \
by default, and the target of a symbolic link. Names are quoted as for a shell where they need it, \
also in a file or a pipe, so that each line is one field.";

const NOTES: &str = "\
With --batch, each line of standard input is a question, {\"path\":PATH,\"fields\":[NAME,...]}, and \
each line of output is its answer, in order: an object as printed by --json, or {\"error\":{...}}. A \
path is a string, or {\"bytes\":BASE64} if it is not Unicode.

Exit status:
  0  everything was found (with --batch, every question was answered)
  1  some metadata could not be read
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt stat file                      print the metadata of a file
  curt stat --fields size,modified *  print chosen fields
  curt stat -L --json link            follow a symbolic link, print JSON";

/// The options of `curt stat`.
#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Print the metadata of files", long_about = LONG_ABOUT, after_long_help = NOTES,
          after_help = EXAMPLES)]
pub(crate) struct StatOptions {
    /// The files to examine
    #[arg(value_name = "PATH", required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) operands: Vec<OsString>,

    /// Follow symbolic links
    ///
    /// A link that is broken or part of a loop is an error.
    #[arg(short = 'L', long)]
    pub(crate) dereference: bool,

    /// Print the path and only these fields, which commas separate, in this order
    #[arg(long, value_name = "LIST",
          long_help = fields_help!(
              "Print the path and only these fields, which commas separate, in this order"
          ))]
    pub(crate) fields: Option<String>,

    /// Answer questions from standard input, one JSON object per line
    #[arg(long)]
    pub(crate) batch: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

#[cfg(test)]
mod tests {
    use super::fields_help;

    #[test]
    fn help_lists_every_field() {
        let list = fields_help!("");
        for (name, _) in curt::Fields::ALL {
            let mut words = list.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
            assert!(words.any(|word| word == *name), "{name}");
        }
    }
}
