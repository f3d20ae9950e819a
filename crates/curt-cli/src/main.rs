//! The curt command: `args` says what can be asked, `cmd` does it, `out` says what happened.

mod args;
mod bench;
mod cmd;
mod interrupt;
mod out;
mod prompt;
mod quote;
mod sys;

use std::process::ExitCode;

use args::Command;

fn main() -> ExitCode {
    match args::parse() {
        Ok(Command::Rm(options)) => cmd::rm::run(&options),
        Ok(Command::Bench(options)) => bench::run(&options),
        Ok(Command::Completions(options)) => cmd::generate::completions(&options),
        Ok(Command::Man(options)) => cmd::generate::man(&options),
        Err(error) => {
            // Help or a usage error. Where it cannot be written there is nobody to tell.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(args::USAGE))
        }
    }
}
