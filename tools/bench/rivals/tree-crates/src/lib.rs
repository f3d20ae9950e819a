//! The command line and the output that these programs share.
//!
//! `walk` prints all paths, `sizes` each path after its size, `du` the KiB allocated.
use std::error::Error;
use std::fs::Metadata;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;
use std::process::ExitCode;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Walk,
    Sizes,
    Du,
}

pub struct Answer {
    task: Task,
    allocated: u64,
    out: BufWriter<StdoutLock<'static>>,
}

impl Answer {
    pub fn entry<E: Error + 'static>(
        &mut self,
        path: &Path,
        metadata: impl FnOnce() -> Result<Metadata, E>,
    ) -> Result<(), Box<dyn Error>> {
        match self.task {
            Task::Walk => {}
            Task::Sizes => write!(self.out, "{} ", metadata()?.len())?,
            Task::Du => {
                self.allocated += allocated(&metadata()?);
                return Ok(());
            }
        }
        self.out.write_all(path.as_os_str().as_encoded_bytes())?;
        Ok(self.out.write_all(b"\n")?)
    }
}

#[cfg(unix)]
fn allocated(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(metadata) * 512
}

#[cfg(not(unix))]
fn allocated(metadata: &Metadata) -> u64 {
    metadata.len()
}

pub fn run(
    name: &str,
    walk: impl FnOnce(&Path, &mut Answer) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let task = match arguments.next().as_ref().and_then(|word| word.to_str()) {
        Some("walk") => Task::Walk,
        Some("sizes") => Task::Sizes,
        Some("du") => Task::Du,
        _ => return usage(name),
    };
    let Some(tree) = arguments.next() else {
        return usage(name);
    };
    let out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    let mut answer = Answer { task, allocated: 0, out };
    let done = walk(Path::new(&tree), &mut answer).and_then(|()| {
        if task == Task::Du {
            writeln!(answer.out, "{}", answer.allocated.div_ceil(1024))?;
        }
        Ok(answer.out.flush()?)
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage(name: &str) -> ExitCode {
    eprintln!("usage: {name} walk|sizes|du TREE");
    ExitCode::from(2)
}
