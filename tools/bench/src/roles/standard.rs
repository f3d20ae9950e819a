use super::Task;
use crate::oracle::allocated;
use std::fs::{self, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(super) fn read(task: Task, tree: &Path, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, out);
    let mut total = 0;
    match task {
        Task::Usage => total = taken(&fs::symlink_metadata(tree)?),
        Task::Walk => line(&mut out, None, &tree.to_string_lossy())?,
        Task::Sizes => {
            let size = fs::symlink_metadata(tree)?.len();
            line(&mut out, Some(size), &tree.to_string_lossy())?;
        }
        _ => {}
    }
    folder(task, tree, &mut total, &mut out)?;
    if task == Task::Usage {
        writeln!(out, "{}", total.div_ceil(1024))?;
    }
    out.flush()
}

fn folder(task: Task, path: &Path, total: &mut u64, out: &mut dyn Write) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let metadata = if task.needs_metadata() { Some(entry.metadata()?) } else { None };
        match (task, &metadata) {
            (Task::Usage, Some(metadata)) => *total += taken(metadata),
            (Task::List, _) => line(out, None, &entry.file_name().to_string_lossy())?,
            (Task::Long, Some(metadata)) if metadata.is_symlink() => {
                let target = fs::read_link(entry.path())?;
                let name = entry.file_name();
                let text = format!("{} -> {}", name.to_string_lossy(), target.to_string_lossy());
                line(out, Some(metadata.len()), &text)?;
            }
            (Task::Long, Some(metadata)) => {
                line(out, Some(metadata.len()), &entry.file_name().to_string_lossy())?;
            }
            (_, metadata) => {
                let size = metadata.as_ref().map(Metadata::len);
                line(out, size, &entry.path().to_string_lossy())?;
            }
        }
        if task.descends() && entry.file_type()?.is_dir() {
            folder(task, &entry.path(), total, out)?;
        }
    }
    Ok(())
}

fn line(out: &mut dyn Write, size: Option<u64>, text: &str) -> io::Result<()> {
    match size {
        Some(size) => writeln!(out, "{size} {text}"),
        None => writeln!(out, "{text}"),
    }
}

fn taken(metadata: &Metadata) -> u64 {
    allocated(metadata).unwrap_or(metadata.len())
}
