//! Help: `-h` prints clap's summary, with one line per option; `--help` and manual pages are
//! complete.

use clap::Command;
use clap::builder::StyledStr;

pub(super) const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}

{before-help}{all-args}{after-help}";

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

/// Returns the text of `--help` in clap's short layout; its own long help needs three lines or more
/// per option.
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
    if let Some(notes) = command.get_after_long_help() {
        full = full.after_help(notes.clone());
    }
    full.render_help()
}

/// Returns the command as shown by help and manual pages, with `FILE` and `--root` as required,
/// although options such as `--force` make them optional.
pub(crate) fn shown(command: &Command) -> Command {
    let is_required = matches!(command.get_name(), "rm" | "cp" | "beneath");
    command.clone().mut_args(|option| {
        let is_needed = option.is_positional() || option.get_id() == "root";
        if is_required && is_needed { option.required(true) } else { option }
    })
}

pub(crate) fn notes(command: &Command) -> Vec<String> {
    let texts = [command.get_after_long_help(), command.get_before_help()];
    texts.into_iter().flatten().map(ToString::to_string).collect()
}
