use super::Report;
use crate::calls::Slope;
use crate::result::{Cell, Row};
use serde_json::{Value, json};

pub(crate) fn json(report: &Report) -> Value {
    let rows = report.cells.iter().flat_map(|cell| cell.rows.iter().map(move |row| (cell, row)));
    let results: Vec<Value> = rows.map(|(cell, row)| result(cell, row)).collect();
    json!({ "results": results, "machine": report.machine, "date": report.date })
}

fn result(cell: &Cell, row: &Row) -> Value {
    let times: Vec<f64> = row.samples.iter().map(|sample| sample.wall).collect();
    let usual = cell.usual();
    let ratio = usual.and_then(|usual| row.ratio(usual));
    json!({
        "command": row.found.contender.line.words,
        "median": row.wall().map(|median| median.middle),
        "processors": row.cpu().map(|median| median.middle),
        "times": times,
        "scenario": cell.scenario.name,
        "place": cell.place,
        "contender": row.name(),
        "size": cell.size,
        "units": cell.scenario.units(cell.size),
        "usual": usual.map(Row::name),
        "ratio": ratio.map(|ratio| ratio.middle),
        "ratio_interval": ratio.map(|ratio| [ratio.low, ratio.high]),
        "calls_for_one": row.slope.as_ref().map(Slope::per_entry),
        "calls": row.slope.as_ref().map(|slope| &slope.by_name),
        "wrong": row.wrong,
    })
}
