//! The options of `curt stat`.

use std::ffi::OsString;

use clap::Args;

use super::OutputOptions;

const AFTER: &str = "\
Fields, for --fields here and in curt ls and curt walk:
  name, kind, size, allocated, mode, links, user, group, uid, gid, id, device, rdev, block-size,
  modified, accessed, changed, created, target, attributes, readable, writable, executable, acl,
  capability, label

With --batch, each line of standard input is a question, {\"path\":PATH,\"fields\":[NAME,...]}, and \
each line of output is its answer, in order: an object as printed by 'curt ls --json', or \
{\"error\":{...}}. A path is a string, or {\"bytes\":BASE64} if it is not Unicode.

Examples:
  curt stat file                      print the metadata of a file
  curt stat --fields size,modified *  print chosen fields
  curt stat -L --json link            follow a symbolic link, print JSON

Exit status:
  0  everything was found (with --batch, every question was answered)
  1  some metadata could not be read
  2  the command line was wrong";

/// The options of `curt stat`.
#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Print the metadata of files", after_help = AFTER)]
pub(crate) struct StatOptions {
    /// The files to examine
    #[arg(value_name = "PATH", required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) operands: Vec<OsString>,

    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub(crate) dereference: bool,

    /// Print only these fields
    #[arg(long, value_name = "LIST")]
    pub(crate) fields: Option<String>,

    /// Answer questions from standard input, one JSON object per line
    #[arg(long)]
    pub(crate) batch: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

#[cfg(test)]
mod tests {
    #[test]
    fn help_lists_every_field() {
        let list = super::AFTER.split("\n\n").next().unwrap();
        for (name, _) in curt::Fields::ALL {
            let mut words = list.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
            assert!(words.any(|word| word == *name), "{name}");
        }
    }
}
