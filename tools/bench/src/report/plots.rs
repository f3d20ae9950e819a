//! Plots as SVG, drawn by `plotters`. Every colour is one of [`COLOURS`], which the style sheet of
//! the page replaces by those of a dark or a light screen.

use crate::scenario::Part;
use crate::stats::Median;
use plotters::prelude::*;
use plotters::style::FontTransform;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The colours that a plot is drawn with: a class of the style sheet and the colour in the SVG.
pub(super) const COLOURS: [(&str, RGBColor); 6] = [
    ("ink", INK),
    ("grid", GRID),
    ("curt", CURT),
    ("usual", USUAL),
    ("rival", RIVAL),
    ("baseline", BASELINE),
];

const INK: RGBColor = RGBColor(1, 1, 1);
const GRID: RGBColor = RGBColor(2, 2, 2);
const CURT: RGBColor = RGBColor(3, 3, 3);
const USUAL: RGBColor = RGBColor(4, 4, 4);
const RIVAL: RGBColor = RGBColor(5, 5, 5);
const BASELINE: RGBColor = RGBColor(6, 6, 6);

/// A value with the interval around it.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) part: Part,
    pub(super) value: Median,
}

/// Values over sizes or threads.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) label: String,
    pub(super) part: Part,
    pub(super) points: Vec<(f64, f64)>,
}

/// The colour of a contender.
fn colour(part: Part) -> RGBColor {
    match part {
        Part::Curt | Part::Variant => CURT,
        Part::Usual => USUAL,
        Part::Rival => RIVAL,
        Part::Baseline => BASELINE,
    }
}

/// The width in pixels, about that of a phone; the style sheet lets no screen make the plot, and so
/// its text, much larger.
const WIDTH: u32 = 360;
const FONT: (&str, u32) = ("sans-serif", 15);
/// The width of a bar's label, and how many characters there is room for.
const LABELS: i32 = 150;
const LABEL: usize = 20;
/// What curves are called beside their ends, from there on.
const SMALL: (&str, u32) = ("sans-serif", 13);
const ENDS: i32 = 254;

/// What drawing into a string can fail with: nothing but a mistake in the plot.
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Horizontal bars, the first on top, with their values, and a line at `reference`.
pub(super) fn bars(
    bars: &[Bar],
    axis: &str,
    reference: Option<f64>,
    text: impl Fn(f64) -> String,
) -> String {
    let height = 48 + 26 * u32::try_from(bars.len()).unwrap_or(u32::MAX);
    svg(height, |area| draw_bars(area, bars, axis, reference, &text))
}

/// Curves over logarithmic axes.
pub(super) fn curves(curves: &[Curve], axes: [&str; 2]) -> String {
    svg(300, |area| draw_curves(area, curves, axes))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn svg(height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut text = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&area).and_then(|()| Ok(area.present()?))
    };
    debug_assert!(drawn.is_ok(), "{drawn:?}");
    // It takes the width that the page has for it.
    text.replacen(&format!("width=\"{WIDTH}\" height=\"{height}\" "), "", 1)
}

fn draw_bars(
    area: &Area<'_>,
    bars: &[Bar],
    axis: &str,
    reference: Option<f64>,
    text: &dyn Fn(f64) -> String,
) -> Drawn {
    let most = bars.iter().map(|bar| bar.value.high).chain(reference).fold(0.0, f64::max);
    let count = bars.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .margin_right(8)
        .margin_top(8)
        .x_label_area_size(40)
        .y_label_area_size(LABELS)
        // Beside the longest bar there is room for its value.
        .build_cartesian_2d(0.0..most.max(f64::MIN_POSITIVE) * 1.5, 0.0..count)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .x_labels(5)
        .y_labels(0)
        .x_label_formatter(&|value| number(*value))
        .x_desc(axis)
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(FONT.into_font().color(&INK))
        .axis_desc_style(FONT.into_font().color(&INK))
        .draw()?;
    for (bar, middle) in bars.iter().rev().zip((0..).map(|at| f64::from(at) + 0.5)) {
        let Median { low, middle: value, high } = bar.value;
        let body = [(0.0, middle - 0.3), (value, middle + 0.3)];
        chart.draw_series([Rectangle::new(body, colour(bar.part).filled())])?;
        let whisker = [(low, middle), (high, middle)];
        chart.draw_series([PathElement::new(whisker, INK.stroke_width(2))])?;
        let (end, y) = chart.backend_coord(&(high, middle));
        let style = |side| FONT.into_font().color(&INK).pos(Pos::new(side, VPos::Center));
        area.draw_text(&text(value), &style(HPos::Left), (end + 6, y))?;
        area.draw_text(&fitting(&bar.label), &style(HPos::Right), (LABELS - 6, y))?;
    }
    if let Some(reference) = reference {
        let line = [(reference, 0.0), (reference, count)];
        chart.draw_series([PathElement::new(line, INK.stroke_width(1))])?;
    }
    Ok(())
}

fn draw_curves(area: &Area<'_>, curves: &[Curve], axes: [&str; 2]) -> Drawn {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let range = |value: fn(&(f64, f64)) -> f64| {
        let (low, high) =
            points().map(value).fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low < high { low / 1.2..high * 1.2 } else { 0.5..2.0 }
    };
    // Axes of less than two powers of ten would have hardly a number.
    let scale = |range: std::ops::Range<f64>| {
        let base = if range.end < range.start * 100.0 { 2.0 } else { 10.0 };
        range.log_scale().base(base)
    };
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .margin_right(112)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(scale(range(|point| point.0)), scale(range(|point| point.1)))?;
    let font = FONT.into_font();
    chart
        .configure_mesh()
        .x_labels(4)
        .y_labels(6)
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .x_desc(axes[0])
        .y_desc(axes[1])
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(font.color(&INK))
        .axis_desc_style(font.color(&INK).transform(FontTransform::None))
        .draw()?;
    for curve in curves {
        let style = colour(curve.part);
        let thick = if curve.part == Part::Curt { 4 } else { 2 };
        let line = LineSeries::new(curve.points.iter().copied(), style.stroke_width(thick));
        chart.draw_series(line)?;
        let dots = curve.points.iter().map(|&point| Circle::new(point, 3, style.filled()));
        chart.draw_series(dots)?;
    }
    // Each curve is named beside its end, none on top of another: most end at the bottom.
    let end = |curve: &Curve| curve.points.last().map_or(0, |point| chart.backend_coord(point).1);
    let mut ends: Vec<(i32, &Curve)> = curves.iter().map(|curve| (end(curve), curve)).collect();
    ends.sort_by_key(|(y, _)| -y);
    let mut room = i32::MAX;
    for (y, curve) in ends {
        let y = y.min(room);
        room = y - 16;
        let line = vec![(ENDS, y), (ENDS + 12, y)];
        area.draw(&PathElement::new(line, colour(curve.part).stroke_width(3)))?;
        let style = SMALL.into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw_text(&curve.label, &style, (ENDS + 16, y))?;
    }
    Ok(())
}

/// A label that fits.
fn fitting(label: &str) -> String {
    if label.chars().count() <= LABEL {
        return label.to_owned();
    }
    let mut text: String = label.chars().take(LABEL - 1).collect();
    text.push('…');
    text
}

/// A number on an axis.
fn number(value: f64) -> String {
    let short = |value: f64| (value * 1e3).round() / 1e3;
    match value.abs() {
        size if size >= 1e6 => format!("{} M", short(value / 1e6)),
        size if size >= 1e3 => format!("{} k", short(value / 1e3)),
        _ => short(value).to_string(),
    }
}
