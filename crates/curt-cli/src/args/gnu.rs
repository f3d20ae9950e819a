//! The options of the GNU tools. Options that curt lacks are recognized and refused, because their
//! abbreviations must not select a different option.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub(super) struct Tool {
    name: &'static str,
    letters: &'static str,
    /// Long names in sorted order.
    longs: &'static str,
}

const RM: Tool = Tool {
    name: "rm",
    letters: "-d-f-i-r-v-I-R",
    longs: "\
        --dir --force --help --interactive --no-preserve-root --one-file-system --preserve-root \
        --recursive --verbose --version",
};

const CP: Tool = Tool {
    name: "cp",
    letters: "-a-b-d-f-i-l-n-p-r-s-t-u-v-x-H-L-P-R-S-T-Z",
    longs: "\
        --archive --attributes-only --backup --context --copy-contents --debug --dereference \
        --force --help --interactive --keep-directory-symlink --link --no-clobber \
        --no-dereference --no-preserve --no-target-directory --one-file-system --parents \
        --preserve --recursive --reflink --remove-destination --sparse \
        --strip-trailing-slashes --suffix --symbolic-link --target-directory --update --verbose \
        --version",
};

const LS: Tool = Tool {
    name: "ls",
    letters: "-a-b-c-d-f-g-h-i-k-l-m-n-o-p-q-r-s-t-u-v-w-x-A-B-C-D-F-G-H-I-L-N-Q-R-S-T-U-X-Z-1",
    longs: "\
        --all --almost-all --author --block-size --classify --color --context --dereference \
        --dereference-command-line --dereference-command-line-symlink-to-dir --directory --dired \
        --escape --file-type --format --full-time --group-directories-first --help --hide \
        --hide-control-chars --human-readable --hyperlink --ignore --ignore-backups \
        --indicator-style --inode --kibibytes --literal --no-group --numeric-uid-gid \
        --quote-name --quoting-style --recursive --reverse --show-control-chars --si --size \
        --sort --tabsize --time --time-style --version --width --zero",
};

const DU: Tool = Tool {
    name: "du",
    letters: "-0-a-b-c-d-h-H-k-l-m-s-t-x-A-B-D-L-P-S-X",
    longs: "\
        --all --apparent-size --block-size --bytes --count-links --dereference \
        --dereference-args --exclude --exclude-from --files0-from --help --human-readable \
        --inodes --max-depth --no-dereference --null --one-file-system --separate-dirs --si \
        --summarize --threshold --time --time-style --total --version",
};

const STAT: Tool = Tool {
    name: "stat",
    letters: "-c-f-L-t",
    longs: "\
        --cached --dereference --file-system --format --help --printf --terse --version",
};

const REALPATH: Tool = Tool {
    name: "realpath",
    letters: "-e-m-q-s-z-E-L-P",
    longs: "\
        --canonicalize --canonicalize-existing --canonicalize-missing --help --logical \
        --no-symlinks --physical --quiet --relative-base --relative-to --strip --version --zero",
};

const READLINK: Tool = Tool {
    name: "readlink",
    letters: "-e-f-m-n-q-s-v-z",
    longs: "\
        --canonicalize --canonicalize-existing --canonicalize-missing --help --no-newline --quiet \
        --silent --verbose --version --zero",
};

pub(super) fn options(tool: &str) -> Option<&'static Tool> {
    [&RM, &CP, &LS, &DU, &STAT, &REALPATH, &READLINK].into_iter().find(|known| known.name == tool)
}

impl Tool {
    /// Adds the GNU options that curt lacks, so that they are refused, and the abbreviations that
    /// curt's own options would make ambiguous. clap infers the other abbreviations.
    pub(super) fn add_to(&self, mut command: Command) -> Command {
        let names: Vec<&str> = self.longs.split_whitespace().collect();
        let is_extra = |name: &&str| names.binary_search(&format!("--{name}").as_str()).is_err();
        let extra: Vec<String> = long_names(&command).filter(is_extra).map(str::to_owned).collect();
        for (at, &option) in names.iter().enumerate() {
            let name = &option[2..];
            if !long_names(&command).any(|known| known == name) {
                if matches!(name, "help" | "version") {
                    // clap adds these options itself.
                    continue;
                }
                command = command.arg(refused(option).long(name));
            }
            let contested = extra.iter().map(|extra| common(extra, name)).max().unwrap_or(0);
            let abbreviations = (shortest(&names, at)..name.len().min(contested + 1))
                .filter_map(|end| name.get(..end));
            let known = command.get_arguments().find(|arg| arg.get_long() == Some(name));
            if let Some(id) = known.map(|arg| arg.get_id().clone()) {
                command = command.mut_arg(id, |arg| arg.aliases(abbreviations));
            }
        }
        for at in (0..self.letters.len()).step_by(2) {
            let option = &self.letters[at..at + 2];
            let letter = option.chars().last();
            let is_known = command.get_arguments().any(|arg| {
                let others = arg.get_all_short_aliases().unwrap_or_default();
                arg.get_short() == letter || others.iter().any(|&other| Some(other) == letter)
            });
            if let (false, Some(letter)) = (is_known, letter) {
                // A value may follow, as in `-S.old`.
                command = command.arg(refused(option).require_equals(false).short(letter));
            }
        }
        command
    }

    pub(super) fn check(
        &self,
        command: &mut Command,
        matches: &ArgMatches,
    ) -> Result<(), clap::Error> {
        let given = matches
            .ids()
            .map(clap::Id::as_str)
            .find(|id| id.starts_with('-') && matches.contains_id(id));
        match given {
            None => Ok(()),
            Some(option) => {
                let words = format!("option '{option}' of GNU {} is not supported", self.name);
                Err(command.error(ErrorKind::UnknownArgument, words))
            }
        }
    }
}

/// Returns the length of the shortest unambiguous abbreviation of `names[at]`, without dashes.
fn shortest(names: &[&str], at: usize) -> usize {
    let neighbors = [at.checked_sub(1), Some(at + 1)];
    let neighbors = neighbors.into_iter().flatten().filter_map(|at| names.get(at));
    let alike = neighbors.map(|other| common(other, names[at])).max();
    alike.unwrap_or("--".len()) + 1 - "--".len()
}

/// Returns an option that is recognized only to be refused. Its ID is its spelling.
fn refused(option: &'static str) -> Arg {
    Arg::new(option).hide(true).num_args(0..=1).require_equals(true).action(ArgAction::Append)
}

fn long_names(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter_map(Arg::get_long)
}

fn common(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::{CP, DU, LS, READLINK, REALPATH, RM, STAT};

    #[test]
    fn names_are_sorted() {
        for tool in [RM, CP, LS, DU, STAT, REALPATH, READLINK] {
            assert!(tool.longs.split_whitespace().is_sorted(), "{}", tool.name);
        }
    }
}
