//! `curt completions` and `curt man`, made from the definitions that the command line is parsed
//! with.

use clap::{Command, CommandFactory};

use crate::args::{Cli, CompletionsOptions, ManOptions};
use crate::exit::Exit;
use crate::session::Session;

/// Prints a completion script.
pub(crate) fn completions(options: &CompletionsOptions) -> Exit {
    let session = Session::new("curt completions", false, false);
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut visible(&Cli::command()), "curt", &mut script);
    session.data(&script);
    session.close(false)
}

/// Returns the command without hidden options and commands, which most scripts would list.
fn visible(command: &Command) -> Command {
    // clap wants a name that lives as long as the program, which ends with the script.
    let name: &'static str = Box::leak(command.get_name().into());
    let mut visible = Command::new(name);
    if let Some(about) = command.get_about() {
        visible = visible.about(about.clone());
    }
    if command.is_disable_help_flag_set() {
        visible = visible.disable_help_flag(true);
    }
    // Relations between options are not needed here, so those with hidden ones do no harm.
    let options = command.get_arguments().filter(|option| !option.is_hide_set());
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    visible
        .version(env!("CARGO_PKG_VERSION"))
        .args(options)
        .subcommands(commands.map(self::visible))
}

/// Prints the manual page of curt or of one of its commands.
pub(crate) fn man(options: &ManOptions) -> Exit {
    let session = Session::new("curt man", false, false);
    let mut root = Cli::command();
    root.build();
    let command = match &options.command {
        None => Some(root),
        Some(name) => root.find_subcommand(name).cloned(),
    };
    let Some(command) = command else {
        session.warn("unknown command");
        session.worsen(Exit::USAGE);
        return session.close(false);
    };
    let mut page = Vec::new();
    if clap_mangen::Man::new(command).render(&mut page).is_err() {
        session.count_failure();
    }
    session.data(&page);
    session.close(false)
}
