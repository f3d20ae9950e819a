//! Rounds, ratios and the budget, with trials that run nothing.

use super::*;

fn sample(round: u32, wall: f64) -> Sample {
    Sample { round, wall, cpu: None, answer: Answer::Same }
}

fn budget(least: u32, most: u32, time: Duration) -> Budget {
    let soft = Instant::now() + time;
    Budget { soft, hard: soft + time, least, most, patience: Duration::from_secs(1) }
}

fn contenders(names: &[&str]) -> Vec<Contender> {
    names.iter().map(|name| Contender::new(name, Path::new(name), &[])).collect()
}

#[test]
fn ratios_are_taken_within_a_round() {
    let reference = [sample(0, 2.0), sample(1, 200.0), sample(2, 2.0)];
    let fast = [sample(0, 1.0), sample(1, 100.0), sample(2, 1.0), sample(3, 50.0)];
    let spread = ratios(&fast, &reference).unwrap();
    assert_eq!((spread.low, spread.middle, spread.high), (2.0, 2.0, 2.0));
    assert_eq!(ratios(&fast, &[]), None);
}

#[test]
fn a_failed_run_gives_no_ratio() {
    let mut failed = sample(0, 0.001);
    failed.answer = Answer::Differs("exit 1".to_owned());
    assert_eq!(ratios(&[failed.clone()], &[sample(0, 1.0)]), None);
    assert_eq!(ratios(&[sample(0, 1.0)], &[failed]), None);
}

#[test]
fn every_round_asks_everyone_once_in_changing_order() {
    let mut asked = Vec::new();
    let all = contenders(&["a", "b", "c", "d"]);
    let samples = race(
        &all,
        &budget(6, 6, Duration::from_secs(60)),
        &Interrupt::default(),
        &mut |c, round| {
            asked.push((round, c.name.clone()));
            Ok(sample(round, 1.0))
        },
    )
    .unwrap();
    assert!(samples.iter().all(|samples| samples.len() == 6));
    let orders: Vec<Vec<String>> =
        asked.chunks(4).map(|chunk| chunk.iter().map(|(_, name)| name.clone()).collect()).collect();
    assert!(orders.iter().any(|order| order != &orders[0]));
    for mut order in orders {
        order.sort();
        assert_eq!(order, ["a", "b", "c", "d"]);
    }
}

#[test]
fn the_least_number_of_rounds_is_made_past_the_soft_limit_only() {
    let rounds = |budget: &Budget| {
        let all = contenders(&["a"]);
        let trial = &mut |_: &Contender, round| Ok(sample(round, 1.0));
        race(&all, budget, &Interrupt::default(), trial).unwrap()[0].len()
    };
    let now = Instant::now();
    let mut past = budget(3, 10, Duration::from_secs(60));
    past.soft = now;
    assert_eq!(rounds(&past), 3);
    past.hard = now;
    assert_eq!(rounds(&past), 0);
}

#[test]
fn who_differs_once_is_not_asked_again() {
    let mut asked = 0;
    let all = contenders(&["good", "bad"]);
    let samples = race(
        &all,
        &budget(4, 4, Duration::from_secs(60)),
        &Interrupt::default(),
        &mut |c, round| {
            let mut sample = sample(round, 1.0);
            if c.name == "bad" {
                asked += 1;
                sample.answer = Answer::Differs("left the tree".to_owned());
            }
            Ok(sample)
        },
    )
    .unwrap();
    assert_eq!((samples[0].len(), asked), (4, 1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_hanging_child_is_killed() {
    let sandbox = super::super::sandbox::Sandbox::create(&std::env::temp_dir()).unwrap();
    let said = sandbox.entry("stderr");
    let mut sleep = Command::new("sleep");
    sleep.arg("60");
    let begin = Instant::now();
    let ended =
        run_to_end(&mut sleep, &said, Duration::from_millis(10), &Interrupt::default()).unwrap();
    assert!(ended.killed && !ended.status.success());
    assert!(begin.elapsed() < Duration::from_secs(30));
    let ended = run_to_end(
        &mut Command::new("true"),
        &said,
        Duration::from_secs(60),
        &Interrupt::default(),
    )
    .unwrap();
    assert!(!ended.killed && ended.status.success());
}
