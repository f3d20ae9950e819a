//! The curt command.
mod bench;

use clap::Parser;

#[derive(Parser)]
enum Command {
    /// Measures every operation beside its rivals
    Bench(bench::BenchOptions),
}

fn main() -> std::process::ExitCode {
    match Command::parse() {
        Command::Bench(options) => bench::run(&options),
    }
}
