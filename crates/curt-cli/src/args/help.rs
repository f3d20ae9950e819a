//! Help: `-h` is clap's, with a line for each option; `--help` and manual pages say all there is.

use clap::Command;
use clap::builder::StyledStr;

/// The fields of an entry, for the help of each `--fields`.
macro_rules! fields_help {
    ($first:literal) => {
        concat!(
            $first,
            "\n\nFields: name, kind, size, allocated, mode, links, user, group, uid, gid, \
             id (inode number), device, rdev, block-size, modified, accessed, changed, created, \
             target, attributes, readable, writable, executable, acl, capability, label."
        )
    };
}
pub(super) use fields_help;

/// Returns the help that `--help` prints. clap's long help has three lines and more for each
/// option; this has clap's short layout, with the whole text of each option in its column.
pub(super) fn in_full(command: &Command) -> StyledStr {
    let mut full = shown(command).mut_args(|option| match option.get_long_help() {
        Some(text) => {
            let text = text.to_string().replace("\n\n", "\n");
            option.help(text)
        }
        None => option,
    });
    if let Some(about) = command.get_long_about() {
        full = full.about(about.clone());
    }
    full.after_help(notes(command).join("\n\n")).render_help()
}

/// Returns the command as help and manual pages show it. Operands and the root directory that only
/// another option makes optional, such as `--force`, are shown as required.
pub(crate) fn shown(command: &Command) -> Command {
    let is_required = matches!(command.get_name(), "rm" | "beneath");
    command.clone().mut_args(|option| {
        let is_needed = option.is_positional() || option.get_id() == "root";
        if is_required && is_needed { option.required(true) } else { option }
    })
}

/// Returns what `--help` prints after the options, the examples last.
pub(crate) fn notes(command: &Command) -> Vec<String> {
    let texts = [command.get_after_long_help(), command.get_after_help()];
    texts.into_iter().flatten().map(ToString::to_string).collect()
}
