//! `curt completions` and `curt man`: made from the same definitions that the command line is
//! parsed with.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsOptions, ManOptions};
use crate::exit::Exit;
use crate::out;

/// Prints a completion script.
pub(crate) fn completions(options: &CompletionsOptions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "curt", &mut script);
    out::print("curt completions", &script, Exit::FAILURE)
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
