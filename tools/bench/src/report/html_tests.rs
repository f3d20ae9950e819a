//! The page of a made-up report: what is in it, the contrast of its colours, and how Chromium
//! lays it out.

use super::*;
use crate::calls::Slope;
use crate::programs::Found;
use crate::result::Sample;
use crate::scenarios;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Every scenario in two places, with made-up times; the first in three sizes.
fn report() -> Report {
    let mut cells = Vec::new();
    for place in ["disk (ext4)", "memory (tmpfs)"] {
        for (index, scenario) in scenarios::all().enumerate() {
            let sizes: &[u32] = if index == 0 { &[500, 1_000, 2_000] } else { &[1_000] };
            for &size in sizes {
                let row = |(at, contender): (i32, &'static crate::scenario::Contender)| Row {
                    found: Found { contender, program: contender.name.into() },
                    version: String::new(),
                    samples: (1..=9)
                        .map(|round| Sample {
                            round,
                            wall: f64::from(size * (round + 8)) * 1e-6 * f64::from(at + 1),
                            used: None,
                        })
                        .collect(),
                    slope: Some(Slope {
                        by_name: BTreeMap::from([("openat".to_owned(), i64::from(100 * at))]),
                        entries: 400,
                    }),
                    wrong: None,
                    is_too_slow: false,
                };
                cells.push(Cell {
                    scenario,
                    place: place.to_owned(),
                    size,
                    rows: (0..).zip(scenario.contenders).map(row).collect(),
                });
            }
        }
    }
    Report {
        cells,
        left_out: vec!["walk on <a place>: no \"room\" & more".to_owned()],
        missing: BTreeMap::from([("rmz", "")]),
        date: "1 January 2026".to_owned(),
        machine: "curt 0.1.0, linux 6.18 x86_64, 2 processors".to_owned(),
        others: None,
        has_strace: true,
        cold: false,
    }
}

#[test]
fn every_plot_has_its_table_and_every_link_a_target() {
    let page = page(&report());
    let count = |text: &str| page.matches(text).count();
    assert_eq!(count("<figure>"), count("<details>"));
    assert_eq!(count("<figure>"), count("<svg"));
    for cell in &report().cells {
        assert!(page.contains(&full::heading(cell)), "{}", cell.name());
    }
    for link in page.split("href=\"#").skip(1) {
        let target = link.split('"').next().unwrap();
        assert_eq!(count(&format!("id=\"{target}\"")), 1, "{target}");
    }
    assert!(page.contains("walk on &lt;a place&gt;: no &quot;room&quot; &amp; more"));
}

#[test]
fn the_page_asks_for_nothing_else() {
    let page = page(&report()).replace("http://www.w3.org/2000/svg", "");
    for text in ["http:", "https:", "src=", "<script", "<link", "@import", "url("] {
        assert!(!page.contains(text), "{text}");
    }
}

#[test]
fn a_curve_joins_the_sizes_of_a_scenario() {
    let report = report();
    let timed: Vec<&Cell> = report.cells.iter().collect();
    let families = families(&timed);
    assert_eq!(families.len(), 2);
    let curves = curves(&families[0]);
    assert_eq!(curves.len(), families[0][0].rows.len());
    assert!(curves.iter().all(|curve| curve.points.len() == 3));
}

/// The colours of a palette: the light one is the first.
fn palette(at: usize) -> BTreeMap<&'static str, [f64; 3]> {
    let block = STYLE.split(":root {").nth(at + 1).unwrap().split('}').next().unwrap();
    let colours = block.split("--").skip(1).map(|rule| {
        let (name, value) = rule.split_once(':').unwrap();
        let value = value.trim().trim_start_matches('#');
        let channel = |at| f64::from(u8::from_str_radix(&value[at..at + 2], 16).unwrap()) / 255.0;
        (name, [channel(0), channel(2), channel(4)])
    });
    colours.collect()
}

/// The contrast of two colours as the Web Content Accessibility Guidelines define it.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let [red, green, blue] = colour.map(|channel| {
            if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_and_bars_can_be_told_from_the_paper() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 0.01);
    for at in [0, 1] {
        let palette = palette(at);
        let paper = palette["paper"];
        assert!(contrast(palette["ink"], paper) >= 7.0);
        // Marked rows are text in curt's colour.
        assert!(contrast(palette["curt"], paper) >= 4.5);
        for part in ["usual", "rival", "baseline"] {
            assert!(contrast(palette[part], paper) >= 3.0, "{part} in palette {at}");
        }
    }
}

/// Chromium, if it is installed.
fn chromium() -> Option<std::path::PathBuf> {
    ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .find_map(|name| crate::programs::on_path(name))
}

fn browse(chromium: &Path, folder: &Path, words: &[&str]) -> std::process::Output {
    let profile = folder.join("profile");
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--hide-scrollbars",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(words)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// At each width the page is drawn, and nothing but a table in its own region is wider.
#[test]
fn the_page_fits_a_phone_a_tablet_and_a_screen() {
    let Some(chromium) = chromium() else {
        curt_testkit::skip("chromium is not installed");
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let page = scratch.path().join("page.html");
    std::fs::write(&page, super::page(&report())).unwrap();
    for width in [360, 800, 1_400] {
        // A window has a least width, a frame has none.
        let frame = scratch.path().join("frame.html");
        std::fs::write(
            &frame,
            format!(
                "<iframe id=f width={width} height=900 style='border:0' src=page.html></iframe>\
                 <script>onload = () => {{ const root = f.contentDocument.documentElement; \
                 const plots = [...root.querySelectorAll('.plot')].map(plot => \
                 plot.getBoundingClientRect().width); document.title = [root.scrollWidth, \
                 plots.filter(width => width > 300).length].join(' ') }}</script>"
            ),
        )
        .unwrap();
        let address = format!("file://{}", frame.display());
        let words = ["--allow-file-access-from-files", "--dump-dom", "--window-size=1500,1000"];
        let output = browse(&chromium, scratch.path(), &[&words[..], &[&address]].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let title = text.split("<title>").nth(1).and_then(|text| text.split('<').next());
        let plots = std::fs::read_to_string(&page).unwrap().matches("<figure>").count();
        assert_eq!(title, Some(format!("{width} {plots}").as_str()), "{text:.300}");
    }
    let picture = scratch.path().join("page.png");
    let screenshot = format!("--screenshot={}", picture.display());
    let address = format!("file://{}", page.display());
    browse(&chromium, scratch.path(), &["--window-size=800,1200", &screenshot, &address]);
    assert!(std::fs::metadata(&picture).unwrap().len() > 10_000);
}
