//! File systems made for the occasion: images mounted by loop, and a FUSE mirror of a folder.
//!
//! Only for root, and only when asked (`--images`). It happens in a mount namespace of our own
//! where that is possible: then the mounts end with the process, even if it is killed.

use super::mount::{Mount, run};
use super::sandbox::Sandbox;
use super::{Kind, Place, has_room};
use crate::programs::on_path;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// How one kind of image is made.
struct Format {
    name: &'static str,
    tool: &'static str,
    options: &'static [&'static str],
    package: &'static str,
}

const FORMATS: [Format; 3] = [
    Format {
        name: "ext4 image, journaled",
        tool: "mkfs.ext4",
        // Everything is written now: nothing is left for the kernel to do behind a measurement.
        options: &["-q", "-F", "-N", "400000", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
        package: "e2fsprogs",
    },
    Format { name: "XFS image", tool: "mkfs.xfs", options: &["-q", "-f"], package: "xfsprogs" },
    Format {
        name: "btrfs image",
        tool: "mkfs.btrfs",
        options: &["-q", "-f"],
        package: "btrfs-progs",
    },
];

/// Sparse: only what is used takes room.
const IMAGE_BYTES: u64 = 3 << 30;

/// Makes and mounts what the machine has the tools for; names the rest.
pub(crate) fn places(backing: &Path) -> (Vec<Place>, Vec<String>) {
    let mut places = Vec::new();
    let mut missing = Vec::new();
    let mut miss = |name: &str, how: String| {
        missing.push(format!("{name}: {how}"));
    };
    if !has_room(backing, IMAGE_BYTES / 2, 10) {
        miss("images", format!("not enough room in {}", backing.display()));
        return (places, missing);
    }
    let sandbox = match Sandbox::create(backing) {
        Ok(sandbox) => Rc::new(sandbox),
        Err(error) => {
            miss("images", error.to_string());
            return (places, missing);
        }
    };
    for format in &FORMATS {
        if on_path(format.tool).is_none() {
            miss(format.name, format!("needs {}: apt-get install {}", format.tool, format.package));
            continue;
        }
        match image(format, &sandbox) {
            Ok(place) => places.push(place),
            Err(error) => miss(format.name, error.to_string()),
        }
    }
    match fuse(&sandbox) {
        Ok(place) => places.push(place),
        Err(error) => miss("FUSE mirror", error.to_string()),
    }
    (places, missing)
}

fn image(format: &Format, backing: &Rc<Sandbox>) -> io::Result<Place> {
    let file = backing.entry(format.tool);
    std::fs::File::create(&file)?.set_len(IMAGE_BYTES)?;
    run(Command::new(on_path(format.tool).unwrap_or_default()).args(format.options).arg(&file))?;
    let point = backing.entry(&format!("{}-mount", format.tool));
    std::fs::create_dir(&point)?;
    run(Command::new("mount").args(["-o", "loop"]).arg(&file).arg(&point))?;
    mounted(format.name, point, backing)
}

fn fuse(backing: &Rc<Sandbox>) -> io::Result<Place> {
    let program = on_path("bindfs")
        .ok_or_else(|| io::Error::other("needs bindfs: apt-get install bindfs"))?;
    let (source, point) = (backing.entry("fuse-source"), backing.entry("fuse-mount"));
    std::fs::create_dir(&source)?;
    std::fs::create_dir(&point)?;
    run(Command::new(program).arg(&source).arg(&point))?;
    mounted("FUSE mirror (bindfs)", point, backing)
}

/// From here on the mount has an owner that takes it away.
fn mounted(name: &str, point: PathBuf, backing: &Rc<Sandbox>) -> io::Result<Place> {
    let mount = Mount::new(point, Rc::clone(backing));
    let sandbox = Sandbox::create(mount.point())?;
    Ok(Place::new(name.to_owned(), Kind::Given, sandbox, Some(mount)))
}

/// Whether this process may mount.
#[cfg(unix)]
pub(crate) fn allowed() -> bool {
    cfg!(target_os = "linux") && rustix::process::geteuid().is_root()
}

/// Whether this process may mount.
#[cfg(not(unix))]
pub(crate) fn allowed() -> bool {
    false
}

/// Starts this same command again in a new mount namespace, in place of this process.
/// Returns only if that is not possible; then the mounts are made for all to see.
#[cfg(unix)]
pub(crate) fn enter_namespace() {
    use std::os::unix::process::CommandExt as _;
    const OPTIONS: [&str; 3] = ["--mount", "--propagation", "private"];
    let works = run(Command::new("unshare").args(OPTIONS).arg("true")).is_ok();
    if let (true, Ok(program)) = (works, std::env::current_exe()) {
        let arguments = std::env::args_os().skip(1);
        // Comes back only with an error, which means: go on without.
        let _ = Command::new("unshare")
            .args(OPTIONS)
            .arg(program)
            .args(arguments)
            .arg("--in-namespace")
            .exec();
    }
}

/// There are no namespaces here.
#[cfg(not(unix))]
pub(crate) fn enter_namespace() {}
