//! What is measured, and in which order. All cells of a run share its time by their weights.

use super::arena::{Arena, Raced};
use super::contender::{Contender, Found, Missing, version};
use super::context::Context;
use super::counts::Counts;
use super::ground::Ground;
use super::operation::{Operation, Scenario};
use super::operations::OPERATIONS;
use super::place::{Kind, Place};
use super::report::{Cell, Row, Section};
use super::tryout::Tryouts;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io;

/// One scenario in one place, to be measured.
struct Planned<'a> {
    operation: &'static Operation,
    scenario: &'static Scenario,
    place: &'a Place,
    weight: u32,
}

/// Measures every cell; one section for each operation that has some.
pub(crate) fn measure(context: &Context<'_>) -> io::Result<Vec<Section>> {
    let mut cells = planned(context);
    let mut sections: Vec<(&str, Section)> = Vec::new();
    let mut counts = Counts::new(context);
    let mut tryouts = Tryouts::new(context);
    let ground = Ground::default();
    let hung: RefCell<HashSet<_>> = RefCell::default();
    let mut known: HashSet<&String> = HashSet::new();
    while let Some(Planned { operation, scenario, place, weight }) = cells.pop() {
        if context.interrupt.wanted() {
            break;
        }
        let rest: u32 = weight + cells.iter().map(|cell| cell.weight).sum::<u32>();
        let found = tryouts.of((operation.contenders)(scenario, &context.programs), scenario)?;
        known.extend(context.options.rivals.iter().filter(|name| found.knows(name)));
        let found =
            found.select(context.options.full, &context.options.rivals, operation.reference);
        let section = section_of(&mut sections, operation);
        if section.caption.is_empty() {
            section.caption = caption(context, operation, &found);
        }
        let contenders = note(section, found);
        if contenders.is_empty() {
            continue;
        }
        let (contenders, ground, hung) = (&contenders, &ground, &hung);
        let arena = Arena::new(context, operation, scenario, place, contenders, ground, hung);
        match cell(&arena, &mut counts, f64::from(weight) / f64::from(rest))? {
            Ok(cell) => section.cells.push(cell),
            Err(reason) => {
                section.left_out.push(format!("{} · {}: {reason}", scenario.name, place.name));
            }
        }
    }
    let mut sections: Vec<Section> = sections.into_iter().map(|(_, section)| section).collect();
    let unknown = context.options.rivals.iter().filter(|name| !known.contains(name));
    if let Some(first) = sections.first_mut() {
        first.missing.extend(
            unknown.map(|name| Missing { name: name.clone(), how: "no such rival".to_owned() }),
        );
    }
    Ok(sections)
}

/// Measures one cell with its share of the time that is left, or says why it cannot.
fn cell(
    arena: &Arena<'_>,
    counts: &mut Counts<'_>,
    share: f64,
) -> io::Result<Result<Cell, String>> {
    let Raced { heading, samples } = match arena.race(share)? {
        Ok(raced) => raced,
        Err(reason) => return Ok(Err(reason)),
    };
    let slopes = counts.of_cell(arena, &samples)?;
    let rows = arena.contenders.iter().zip(samples).zip(slopes);
    let rows = rows.map(|((contender, samples), slope)| Row {
        contender: contender.clone(),
        samples,
        slope,
    });
    Ok(Ok(Cell {
        scenario: arena.scenario.name.to_owned(),
        place: arena.place.name.clone(),
        heading,
        rows: rows.collect(),
    }))
}

/// The section of an operation, made at its first cell.
fn section_of<'a>(
    sections: &'a mut Vec<(&str, Section)>,
    operation: &'static Operation,
) -> &'a mut Section {
    let at = sections.iter().position(|(name, _)| *name == operation.name);
    let at = at.unwrap_or_else(|| {
        let section = Section::new(operation.title, operation.reference);
        sections.push((operation.name, section));
        sections.len() - 1
    });
    &mut sections[at].1
}

/// Says once for each operation who does not take part; who does.
fn note(section: &mut Section, found: Found) -> Vec<Contender> {
    for missing in found.missing {
        if !section.missing.iter().any(|known| known.name == missing.name) {
            section.missing.push(missing);
        }
    }
    for name in found.later {
        if !section.later.contains(&name) {
            section.later.push(name);
        }
    }
    found.contenders
}

/// What is to be done, last first, each with its share of the time.
fn planned<'a>(context: &'a Context<'_>) -> Vec<Planned<'a>> {
    let options = context.options;
    let everything = options.full || !options.scenarios.is_empty();
    let in_memory = context.places.iter().any(|place| place.kind == Kind::Memory);
    let chosen = |operation: &&&'static Operation| {
        let names = &options.operations;
        names.is_empty() || names.iter().any(|name| name == operation.name)
    };
    let mut cells = Vec::new();
    // Place by place: what a disk still has to write disturbs the next scenario in memory least
    // when that is not the next one.
    for place in &context.places {
        for &operation in OPERATIONS.iter().filter(chosen) {
            let wanted = operation.scenarios.iter();
            for scenario in wanted.filter(|scenario| scenario.is_wanted(&options.scenarios)) {
                let weight = match place.kind {
                    Kind::Memory => scenario.quick.0,
                    Kind::Disk if in_memory => scenario.quick.1,
                    Kind::Disk | Kind::Given => scenario.quick.0.max(scenario.quick.1),
                };
                if weight > 0 || everything {
                    cells.push(Planned { operation, scenario, place, weight: weight.max(1) });
                }
            }
        }
    }
    cells.reverse();
    cells
}

/// How to read the table.
fn caption(context: &Context<'_>, operation: &Operation, found: &Found) -> Vec<String> {
    let name = operation.reference;
    let reference = found.contenders.iter().find(|contender| contender.name == name);
    let known = reference.filter(|contender| !contender.is_ours() && name != "std");
    let known = known.and_then(|contender| version(&contender.program));
    let known = known.unwrap_or_else(|| name.to_owned());
    let measure_themselves =
        operation.scenarios.iter().any(|scenario| scenario.question.measures_itself());
    let times = if measure_themselves {
        "Times are what each says itself that one took, after as many that do not count"
    } else {
        "Times are from the start of the process until waiting for it returns"
    };
    let mut lines = vec![
        format!(
            "x {name}: how many times as fast as {known}, median of the ratios within each round, and"
        ),
        format!("their quartiles. {times}; median."),
        "CPU: mean of user and system time of the process and its threads (the system tells it in 10 ms steps).".to_owned(),
    ];
    lines.extend(operation.notes.iter().map(|&line| line.to_owned()));
    if !context.options.unhurried() {
        lines.push("Sizes fit the time there is, and trees on disk are as just written; --full and --repeat take".to_owned());
        lines.push("full sizes and write each tree back first.".to_owned());
    }
    if !context.counter.has_strace() {
        lines.push(
            "strace is not installed (apt-get install strace): only curt's calls are known."
                .to_owned(),
        );
    }
    lines
}
