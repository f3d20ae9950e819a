use curt::paths::{DotDot, Env, Expander};
use curt::{Remove, Search, Threads};
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

const LEAST: Duration = Duration::from_millis(50);

pub(super) fn repeat(task: &str, tree: &Path, out: &mut dyn io::Write) -> io::Result<()> {
    match task {
        "expand-clean" => expand("/usr/share/doc/ruby/examples/main.rb", out),
        "expand-dots" => expand("/usr/./lib/../share/doc/ruby/./examples/main.rb", out),
        "which" => {
            let search = search(tree)?;
            timed(100, out, || {
                let path = search.find("hello")?.into_path();
                Ok(path.into_os_string().into_encoded_bytes())
            })
        }
        "which-missing" => {
            let search = search(tree)?;
            timed(100, out, || failed(search.find("nothing").is_err()))
        }
        "remove-missing" => {
            let path = tree.join("nothing");
            let removal = Remove::new().threads(Threads::AtMost(1));
            timed(100, out, || failed(removal.run(&path).error_count > 0))
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn expand(path: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let expander = Expander::new(Env::none()).tilde(false).dot_dot(DotDot::Clamp);
    timed(1000, out, || expander.expand(path.as_bytes()).map_err(io::Error::other))
}

fn search(tree: &Path) -> io::Result<Search> {
    let path = (0..6).map(|at| tree.join(crate::tree::folder_in_path(at)));
    let path = std::env::join_paths(path).map_err(io::Error::other)?;
    Ok(Search::new().environment::<&str, &str>([]).no_base().path(path))
}

fn failed(has_failed: bool) -> io::Result<&'static str> {
    if has_failed { Ok("missing") } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

fn timed<T: AsRef<[u8]>>(
    block: u32,
    out: &mut dyn io::Write,
    call: impl Fn() -> io::Result<T>,
) -> io::Result<()> {
    out.write_all(call()?.as_ref())?;
    out.write_all(b"\n")?;
    let (begin, mut count) = (Instant::now(), 0);
    while begin.elapsed() < LEAST {
        for _ in 0..block {
            black_box(call()?);
        }
        count += block;
    }
    let one = begin.elapsed().as_nanos() as f64 / f64::from(count);
    writeln!(io::stderr(), "took {one}")
}
