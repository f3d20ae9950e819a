//! Plots as SVG, drawn by `plotters`. Every colour is one of [`COLOURS`], which the style sheet of
//! the page replaces by those of a dark or a light screen.

use crate::scenario::Part;
use crate::stats::Median;
use plotters::coord::ranged1d::{IntoSegmentedCoord as _, SegmentValue};
use plotters::prelude::*;
use plotters::style::FontTransform;

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
/// How many characters of a label there is room for.
const LABEL: usize = 20;

/// What drawing into a string can fail with: nothing but a mistake in the plot.
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Horizontal bars, the first on top, with a line at `reference`.
pub(super) fn bars(bars: &[Bar], axis: &str, reference: Option<f64>) -> String {
    let height = 60 + 26 * u32::try_from(bars.len()).unwrap_or(u32::MAX);
    svg(height, |area| draw_bars(area, bars, axis, reference))
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

fn draw_bars(area: &Area<'_>, bars: &[Bar], axis: &str, reference: Option<f64>) -> Drawn {
    let most = bars.iter().map(|bar| bar.value.high).chain(reference).fold(0.0, f64::max);
    let count = bars.len();
    let mut chart = ChartBuilder::on(area)
        .margin_right(24)
        .x_label_area_size(40)
        .y_label_area_size(140)
        .build_cartesian_2d(0.0..most.max(f64::MIN_POSITIVE) * 1.08, (0..count).into_segmented())?;
    let label = |at: &SegmentValue<usize>| match at {
        // The first bar is on top.
        SegmentValue::CenterOf(at) if *at < count => fitting(&bars[count - 1 - at].label),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .x_labels(5)
        .y_labels(count)
        .y_label_formatter(&label)
        .x_label_formatter(&|value| number(*value))
        .x_desc(axis)
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(FONT.into_font().color(&INK))
        .axis_desc_style(FONT.into_font().color(&INK))
        .draw()?;
    for (at, bar) in bars.iter().rev().enumerate() {
        let (from, to) = (SegmentValue::Exact(at), SegmentValue::Exact(at + 1));
        let mut body =
            Rectangle::new([(0.0, from), (bar.value.middle, to)], colour(bar.part).filled());
        body.set_margin(5, 5, 0, 0);
        chart.draw_series([body])?;
        let middle = SegmentValue::CenterOf(at);
        let whisker = [(bar.value.low, middle.clone()), (bar.value.high, middle)];
        chart.draw_series([PathElement::new(whisker, INK.stroke_width(2))])?;
    }
    if let Some(reference) = reference {
        let line = [(reference, SegmentValue::Exact(0)), (reference, SegmentValue::Exact(count))];
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
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(
        range(|point| point.0).log_scale(),
        range(|point| point.1).log_scale(),
    )?;
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
        chart
            .draw_series(LineSeries::new(curve.points.iter().copied(), style.stroke_width(thick)))?
            .label(fitting(&curve.label))
            .legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 18, y)], style.stroke_width(thick))
            });
        let dots = curve.points.iter().map(|&point| Circle::new(point, 3, style.filled()));
        chart.draw_series(dots)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(font.color(&INK))
        .border_style(TRANSPARENT)
        .draw()?;
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
