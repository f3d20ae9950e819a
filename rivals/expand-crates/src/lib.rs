//! The loop that all of them run: each base with each path, so many times.
use std::hint::black_box;
use std::process::ExitCode;

/// Reads FLAVOR ROUNDS BASES PATHS from the command line and writes the sum of the lengths.
pub fn run(flavors: &[&str], mut length: impl FnMut(&str, &str, &str) -> usize) -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    let [_, flavor, rounds, bases, paths, ..] = &words[..] else {
        return ExitCode::from(2);
    };
    let Ok(rounds) = rounds.parse::<u64>() else {
        return ExitCode::from(2);
    };
    if !flavors.contains(&flavor.as_str()) {
        return ExitCode::from(2);
    }
    let bases: Vec<&str> = bases.split('|').collect();
    let paths: Vec<&str> = paths.split('|').collect();
    let mut sum = 0;
    for _ in 0..rounds {
        for base in &bases {
            for path in &paths {
                sum += length(flavor, black_box(base), black_box(path));
            }
        }
    }
    println!("{sum}");
    ExitCode::SUCCESS
}
