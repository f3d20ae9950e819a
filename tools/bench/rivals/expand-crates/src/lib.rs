//! The loop that all of them run: each base with each path, that many times, and as often again by
//! the clock.
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// Reads FLAVOR ROUNDS BASES PATHS from the command line and writes the sum of the lengths in one
/// round, and how many nanoseconds an expansion took.
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
    let mut all = |rounds: u64| {
        let mut sum = 0;
        for _ in 0..rounds {
            for base in &bases {
                for path in &paths {
                    sum += length(flavor, black_box(base), black_box(path)) as u64;
                }
            }
        }
        sum / rounds
    };
    all(rounds);
    let begin = Instant::now();
    let sum = all(rounds);
    let expansions = rounds * (bases.len() * paths.len()) as u64;
    println!("{sum} {:.3}", begin.elapsed().as_secs_f64() * 1e9 / expansions as f64);
    ExitCode::SUCCESS
}
