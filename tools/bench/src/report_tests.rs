//! A section with a good, a bad and an absent contender, in all three forms.

use super::*;
use std::collections::BTreeMap;
use std::path::Path;

fn row(name: &str, walls: &[f64], answer: &Answer) -> Row {
    let samples = walls.iter().zip(0..).map(|(&wall, round)| Sample {
        round,
        wall,
        cpu: Some((0.01, 0.02)),
        answer: answer.clone(),
    });
    Row {
        contender: Contender::new(name, Path::new("/bin/program"), &["-rf", "--"]),
        samples: samples.collect(),
        slope: None,
    }
}

fn section() -> Section {
    let mut curt = row("curt", &[0.1, 0.1, 0.1], &Answer::Same);
    let by_name = BTreeMap::from([("unlinkat".to_owned(), 150)]);
    curt.slope = Some(Slope { by_name, entries: 100 });
    let rows = vec![
        curt,
        row("rm", &[0.2, 0.25, 0.2], &Answer::Same),
        row("broken", &[0.01], &Answer::Differs("exit 1: no | idea".to_owned())),
        row("late", &[], &Answer::Same),
    ];
    let cell = Cell {
        scenario: "cra".to_owned(),
        place: "tmpfs".to_owned(),
        heading: describe_tree(36_346, 4_863, 0),
        rows,
    };
    Section {
        title: "curt rm".to_owned(),
        reference: "rm".to_owned(),
        caption: vec!["How to read it.".to_owned()],
        cells: vec![cell],
        later: Vec::new(),
        left_out: Vec::new(),
        missing: vec![Missing { name: "go".to_owned(), how: "cargo xtask rivals".to_owned() }],
    }
}

#[test]
fn text() {
    let expected = "curt rm

  contender  x rm  quartiles    median      CPU  calls/entry     runs  same answer
cra · tmpfs: 36,346 files, 4,863 directories, empty
  curt       2.00  2.00–2.25  100.0 ms  30.0 ms         1.50        3  yes
  rm         1.00  reference  200.0 ms  30.0 ms            -        3  yes
  broken        -          -         -        -            -  1 (few)  NO: exit 1: no | idea
  late          -          -         -        -            -  0 (few)  not run

How to read it.
Missing:

  go: cargo xtask rivals
";
    assert_eq!(section().render(false), expected);
}

#[test]
fn markdown() {
    let text = section().render(true);
    assert!(text.starts_with("## curt rm\n\n### cra · tmpfs: 36,346 files"), "{text}");
    assert!(text.contains("\n| curt | 2.00 | 2.00–2.25 | 100.0 ms |"), "{text}");
    assert!(text.contains("no \\| idea"), "{text}");
}

#[test]
fn json_has_the_shape_of_hyperfine() {
    let results = section().json();
    assert_eq!(results.len(), 4);
    let curt = &results[0];
    for key in ["mean", "stddev", "median", "user", "system", "min", "max"] {
        assert!(curt[key].is_number(), "{key}");
    }
    assert_eq!(curt["command"], "program -rf -- PATH");
    assert_eq!(curt["times"].as_array().unwrap().len(), 3);
    assert_eq!(curt["ratio"], 2.0);
    assert_eq!(curt["calls"]["unlinkat"], 150);
    assert!(results[3]["median"].is_null());
}
