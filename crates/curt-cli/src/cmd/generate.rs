//! `curt completions` and `curt man`: made from the same definitions that the command line is
//! parsed with.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{Cli, CompletionsOptions, ManOptions};
use crate::exit::Exit;
use crate::out;

/// Prints a completion script.
pub(crate) fn completions(options: &CompletionsOptions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "curt", &mut script);
    print(&script)
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
        Ok(()) => print(&page),
        Err(_) => Exit::FAILURE,
    }
}

fn print(bytes: &[u8]) -> Exit {
    match io::stdout().lock().write_all(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Exit::FAILURE,
        _ => Exit::SUCCESS,
    }
}
