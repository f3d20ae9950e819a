//! `curt completions` and `curt man`: made from the same definitions that the command line is
//! parsed with.

use clap::{Command, CommandFactory};

use crate::args::{Cli, CompletionsOptions, ManOptions};
use crate::exit::Exit;
use crate::out;

/// Prints a completion script.
pub(crate) fn completions(options: &CompletionsOptions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut shown(&Cli::command()), "curt", &mut script);
    out::print("curt completions", &script, Exit::FAILURE)
}

/// The command without what is hidden, which the makers of most scripts list all the same.
fn shown(command: &Command) -> Command {
    // clap's names live as long as the program, which ends with the script.
    let name: &'static str = Box::leak(command.get_name().into());
    let mut shown = Command::new(name);
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if command.is_disable_help_flag_set() {
        shown = shown.disable_help_flag(true);
    }
    // Those that take part in the settings of others may be hidden, and the others are not parsed
    // here.
    let options = command.get_arguments().filter(|option| !option.is_hide_set());
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown.version(env!("CARGO_PKG_VERSION")).args(options).subcommands(commands.map(self::shown))
}

/// Prints the manual page of `curt`, or of one of its commands.
pub(crate) fn man(options: &ManOptions) -> Exit {
    let mut root = Cli::command();
    root.build();
    let chosen = match &options.command {
        None => Some(root),
        Some(name) => root.find_subcommand(name).cloned(),
    };
    let Some(command) = chosen else {
        out::complain("curt man: no such command\n");
        return Exit::USAGE;
    };
    let mut page = Vec::new();
    match clap_mangen::Man::new(command).render(&mut page) {
        Ok(()) => out::print("curt man", &page, Exit::FAILURE),
        Err(_) => Exit::FAILURE,
    }
}
