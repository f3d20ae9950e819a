//! The curt command.
//!
//! `args` parses the command line, `cmd` contains the commands, and `out` formats output. A
//! `session` is one run of a command. `called` stores the name that curt was called by, `prompt`
//! reads answers, and `quote` quotes names. `sys` contains all differences between systems. On
//! Unix, `sys/unix/start.rs` runs before `main`, which on Linux is in `sys/unix/main.rs`.
//!
//! To follow a command into the library, start at the comment "One run" below the documentation of
//! the operation's module, such as `crates/curt/src/walk/mod.rs`.
#![cfg_attr(all(own_main, not(test)), no_main)]
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::expect_used, clippy::panic)
)]

mod args;
mod called;
mod cmd;
mod exit;
mod number;
mod out;
mod prompt;
mod quote;
mod session;
mod sys;
mod time;
mod words;

use args::Command;
use exit::Exit;

#[cfg(any(test, not(own_main)))]
fn main() -> std::process::ExitCode {
    sys::with_stack(run).into()
}

fn run() -> Exit {
    match args::parse() {
        Ok(Command::Rm(options)) => cmd::rm::run(&options),
        Ok(Command::Cp(options)) => cmd::cp::run(&options),
        Ok(Command::Find(options)) => cmd::find::run(&options),
        Ok(Command::Ls(options)) => cmd::ls::run(&options),
        Ok(Command::Stat(options)) => cmd::stat::run(&options),
        Ok(Command::Beneath(options)) => cmd::beneath::run(&options),
        Ok(Command::Expand(options)) => cmd::expand::run(&options),
        Ok(Command::Realpath(options)) => cmd::realpath::realpath(&options),
        Ok(Command::Readlink(options)) => cmd::realpath::readlink(&options),
        Ok(Command::Which(options)) => cmd::which::run(&options),
        Ok(Command::Du(options)) => cmd::du::run(&options),
        Ok(Command::Run(options)) => cmd::run::run(&options),
        Ok(Command::Completions(options)) => cmd::generate::completions(&options),
        Ok(Command::Man(options)) => cmd::generate::man(&options),
        Err(exit) => exit.report(),
    }
}
