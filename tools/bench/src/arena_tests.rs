//! Whole cells with contenders that do right, nothing, too much, or cannot be started.
#![cfg(unix)]

use super::super::operations::scenario_names;
use super::super::options::BenchOptions;
use super::super::progress::{Interrupt, Progress};
use super::super::sandbox::Sandbox;
use super::super::tryout::Tryouts;
use super::super::{reading, rm};
use super::*;
use crate::contender::Found;
use clap::Parser as _;

fn options(words: &[&str]) -> BenchOptions {
    BenchOptions::try_parse_from(["curt-bench"].iter().chain(words)).unwrap()
}

fn context(options: &BenchOptions) -> Context<'_> {
    let begin = Instant::now();
    let folder = std::env::temp_dir();
    Context {
        options,
        programs: super::super::programs::tests::some(),
        places: vec![Place::in_folder(&folder, Kind::Given).unwrap()],
        scratch: Sandbox::create(&folder).unwrap(),
        counter: super::super::calls::Counter::new(),
        progress: Progress::new(),
        interrupt: Interrupt::default(),
        begin,
        soft: begin + Duration::from_secs(20),
        hard: begin + Duration::from_secs(60),
    }
}

/// A contender that is a line of shell; the path is `$1`.
fn shell(name: &str, script: &str) -> Contender {
    Contender::new(name, Path::new("/bin/sh"), &["-c", script, "sh"])
}

/// What becomes of each contender in one run on a small tree.
fn answers(
    operation: &'static Operation,
    scenario: &'static Scenario,
    contenders: &[Contender],
) -> Vec<Answer> {
    let options = options(&[]);
    let context = context(&options);
    let (ground, hung) = (Ground::default(), RefCell::default());
    let place = &context.places[0];
    let arena = Arena::new(&context, operation, scenario, place, contenders, &ground, &hung);
    let grown = scenario.grow(64);
    let trial = |contender| {
        let sample = arena.trial(&grown, contender, 0, Duration::from_secs(60)).unwrap();
        assert!(place.sandbox.canary_lives());
        sample.answer
    };
    contenders.iter().map(trial).collect()
}

fn differs(how: &str) -> Answer {
    Answer::Differs(how.to_owned())
}

#[test]
fn a_wrong_answer_about_a_tree_is_noticed_and_the_next_one_finds_it_whole() {
    let contenders = [
        shell("right", "find \"$1\""),
        shell("silent", ":"),
        shell("fails", "find \"$1\"; echo no >&2; exit 3"),
        shell("removes", "find \"$1\"; rm -rf -- \"$1\""),
        shell("touches the canary", "rm -rf -- \"$1/../canary\""),
        Contender::new("absent", Path::new("/no/such/program"), &[]),
    ];
    let answers = answers(&reading::walk::WALK, &reading::walk::WALK.scenarios[0], &contenders);
    assert_eq!(answers[0], Answer::Same);
    assert!(matches!(&answers[1], Answer::Differs(how) if how.contains(" missing, such as ")));
    assert_eq!(
        answers[2..5],
        [
            differs("exit 3 no"),
            differs("removed the tree"),
            differs("removed something outside the tree"),
        ]
    );
    assert!(matches!(&answers[5], Answer::Differs(how) if how.starts_with("cannot start")));
}

#[test]
fn a_tree_that_was_taken_away_is_built_again() {
    let contenders = [shell("removes", "rm -rf -- \"$1\""), shell("right", "find \"$1\"")];
    let answers = answers(&reading::walk::WALK, &reading::walk::WALK.scenarios[0], &contenders);
    assert_eq!(answers, [differs("removed the tree"), Answer::Same]);
}

#[test]
fn who_removes_has_removed() {
    let contenders = [shell("right", "rm -rf -- \"$1\""), shell("silent", ":")];
    let answers = answers(&rm::OPERATION, &rm::OPERATION.scenarios[4], &contenders);
    assert_eq!(answers, [Answer::Same, differs("exit 0, but the tree is there")]);
}

#[test]
fn who_cannot_is_named_with_the_reason() {
    let options = options(&[]);
    let context = context(&options);
    let mut found = Found::default();
    found.add(shell("right", "ls -- \"$1\""));
    found.add(shell("another program", "echo unknown option >&2; exit 2"));
    let unknown = ["no-such-command", "--"];
    found.add(Contender::new("curt", Path::new("/bin/curt"), &unknown));
    let scenario = &reading::ls::OPERATION.scenarios[0];
    let found = Tryouts::new(&context).of(found, scenario).unwrap();
    let names: Vec<_> = found.contenders.iter().map(|contender| &contender.name).collect();
    assert_eq!(names, ["right"]);
    let reasons: Vec<_> = found.missing.iter().map(|missing| missing.how.as_str()).collect();
    assert_eq!(reasons, ["exit 2 unknown option", "this curt has no command 'no-such-command'"]);
}

#[test]
fn options_name_operations_and_scenarios() {
    let chosen = options(&["--operation", "ls", "--operation", "du", "--scenario", "cra"]);
    assert_eq!(chosen.operations, ["ls", "du"]);
    assert!(BenchOptions::try_parse_from(["curt-bench", "--operation", "fly"]).is_err());
    for name in scenario_names() {
        assert_eq!(options(&["--scenario", name]).scenarios, [name]);
    }
}
