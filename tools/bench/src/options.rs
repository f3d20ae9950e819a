//! What the bench can be asked.

use super::roles::{Role, Task};
use super::{operations, works};
use std::path::PathBuf;

const ABOUT: &str = "Measure curt beside the tools on this machine";

const AFTER: &str = "\
Started by 'cargo run --release -p curt-bench', it builds curt in release mode and measures that. \
The environment variable CURT names another one. 'cargo xtask rivals' builds the programs around \
other people's libraries, which then take part.";

/// Options of `curt-bench`.
#[derive(clap::Parser, Debug)]
#[command(name = "curt-bench", version, about = ABOUT, after_help = AFTER)]
pub(crate) struct BenchOptions {
    /// All scenarios at full size, all rivals, ten repeats; takes long
    #[arg(long)]
    pub(super) full: bool,
    /// Work in this directory's file system only (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    pub(super) dirs: Vec<PathBuf>,
    /// Also work on images of journaled ext4, XFS and btrfs and on a FUSE mount (root only)
    #[arg(long)]
    pub(super) images: bool,
    /// Only places whose name contains TEXT (repeatable)
    #[arg(long = "place", value_name = "TEXT")]
    pub(super) places: Vec<String>,
    /// Only this operation (repeatable)
    #[arg(long = "operation", value_name = "NAME", value_parser = operations::names())]
    pub(super) operations: Vec<String>,
    /// Only this scenario (repeatable)
    #[arg(long = "scenario", value_name = "NAME", value_parser = operations::scenario_names())]
    pub(super) scenarios: Vec<String>,
    /// Of the rivals only this one (repeatable); curt, the reference and the floor always take part
    #[arg(long = "rival", value_name = "NAME")]
    pub(super) rivals: Vec<String>,
    /// Make exactly N repeats at full size, however long that takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) repeat: Option<u32>,
    /// Time for a run without --full and --repeat
    #[arg(long, value_name = "SECONDS", default_value_t = 50)]
    pub(super) seconds: u32,
    /// Drop the system's caches before each timed run (root only; slows the whole machine down)
    #[arg(long)]
    pub(super) cold: bool,
    /// Write the measurements as JSON, in hyperfine's shape
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the report as Markdown
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// What the bench's own child processes do
    #[arg(long, hide = true, requires = "tree")]
    pub(super) role: Option<Role>,
    /// What the role is played with
    #[arg(long, hide = true, requires = "role", default_value = "remove")]
    pub(super) task: Task,
    /// What is computed
    #[arg(long, hide = true, requires = "role")]
    pub(super) work: Option<works::Work>,
    /// The buffer of a listing, in bytes
    #[arg(long, hide = true, requires = "role")]
    pub(super) buffer: Option<usize>,
    /// The shape and number of the starts to make
    #[arg(long, hide = true, requires = "role")]
    pub(super) starts: Option<String>,
    /// The tree that a child process works on
    #[arg(hide = true, requires = "role")]
    pub(super) tree: Option<PathBuf>,
    /// Already in a mount namespace of our own
    #[arg(long, hide = true)]
    pub(super) in_namespace: bool,
}

impl BenchOptions {
    /// Whether sizes and repeats are fixed, and time is not.
    pub(super) fn unhurried(&self) -> bool {
        self.full || self.repeat.is_some()
    }
}
