use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use curt_testkit::{Scratch, may_trace};

pub(crate) type Counts = BTreeMap<String, u64>;

const UNCOUNTED: [&str; 6] = ["brk", "mmap", "munmap", "mremap", "madvise", "mprotect"];

/// Calls of the loader, except opening libraries.
const LOADING: &str = "\
    execve brk mmap munmap mprotect access read pread64 newfstatat fstat close arch_prctl \
    set_tid_address set_robust_list rseq prlimit64 readlinkat readlink uname";

pub(crate) struct Traced {
    /// All calls except those of an empty program and of `is_uncounted`.
    pub(crate) seen: Counts,
    pub(crate) counted: Counts,
    pub(crate) entries: u64,
    pub(crate) written: u64,
    pub(crate) log: String,
}

pub(crate) fn tracing() -> Option<()> {
    may_trace().then_some(())
}

pub(crate) fn curt_rm(scratch: &Scratch, args: &[&str]) -> Traced {
    curt(scratch, &[&["rm"], args].concat())
}

pub(crate) fn delayed_rm(scratch: &Scratch, delay: u32, args: &[&str]) -> Traced {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let delay = format!("inject=unlinkat:delay_enter={delay}");
    let args = with_counts(&[&["rm"], args].concat());
    let (text, log) = trace_with(&["-e", &delay], scratch, program, &args);
    parse_summary(&text, log)
}

pub(crate) fn curt(scratch: &Scratch, args: &[&str]) -> Traced {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let (text, log) = trace(scratch, program, &with_counts(args));
    parse_summary(&text, log)
}

fn with_counts<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--stats", "--json"]].concat()
}

fn parse_summary(text: &str, log: String) -> Traced {
    let summary: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let summary = &summary["summary"];
    let calls = summary["calls"].as_object().unwrap();
    let mut counted: Counts =
        calls.iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap())).collect();
    counted.remove("total");
    let entries = summary["visited"].as_u64().or(summary["entries"].as_u64()).unwrap_or_default();
    Traced { seen: count(&log), counted, entries, written: text.len() as u64, log }
}

/// Runs a program under strace, and returns its output and the log. Resets ignored signals, for
/// which the command would install no handlers. Removes Cargo's library search path, which costs
/// the loader a call per directory.
pub(crate) fn trace(scratch: &Scratch, program: &Path, args: &[&str]) -> (String, String) {
    trace_with(&[], scratch, program, args)
}

fn trace_with(
    options: &[&str],
    scratch: &Scratch,
    program: &Path,
    args: &[&str],
) -> (String, String) {
    let log = scratch.at("strace.log");
    let mut command = Command::new("env");
    command.args(["--default-signal", "strace", "-f", "-qq", "-s", "4096"]);
    command
        .args(options)
        .arg("-o")
        .arg(&log)
        .arg(program)
        .args(args)
        .current_dir(scratch.path())
        .stdin(Stdio::null());
    command.env_remove("LD_LIBRARY_PATH");
    let output = command.output().unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    scratch.remove("strace.log");
    (String::from_utf8([output.stdout, output.stderr].concat()).unwrap(), text)
}

fn own(log: &str) -> impl Iterator<Item = &str> {
    log.lines().skip_while(|line| {
        name(line).is_none_or(|name| LOADING.split(' ').any(|loading| loading == name))
            || line.contains(".so.")
    })
}

/// Returns the call in a line of the log, or `None` for the second line of an interrupted call.
fn name(line: &str) -> Option<&str> {
    let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let (name, _) = call.split_once('(')?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !name.is_empty()).then_some(name)
}

pub(crate) fn loading(log: &str) -> (usize, usize) {
    let libraries = log.lines().filter(|line| line.contains(".so.") && line.contains("\", O_R"));
    (
        log.lines().count() - own(log).count(),
        libraries.filter(|line| !line.contains("cache")).count(),
    )
}

/// Counts the calls of a log, without those of an empty program, which depend on the versions of
/// Rust and libc.
pub(crate) fn count(log: &str) -> Counts {
    static EMPTY: OnceLock<Counts> = OnceLock::new();
    let empty = EMPTY.get_or_init(|| {
        let scratch = Scratch::new();
        count_all(&trace(&scratch, &empty_program(&scratch), &[]).1)
    });
    let mut counts = count_all(log);
    for (name, count) in empty {
        if let Some(all) = counts.get_mut(name) {
            *all = all.saturating_sub(*count);
        }
    }
    counts.retain(|_, count| *count > 0);
    counts
}

/// Builds the empty program with the command's compiler and standard library.
pub(crate) fn empty_program(scratch: &Scratch) -> PathBuf {
    let program = scratch.at("empty");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls/empty.rs");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut build = Command::new(compiler);
    build.args(["--edition=2024", "-o"]).arg(&program).arg(source);
    assert!(build.status().unwrap().success(), "{build:?}");
    program
}

/// Like the command, counts `fstat` as `statx`.
fn count_all(log: &str) -> Counts {
    let mut counts = Counts::new();
    for line in own(log).filter(|line| !is_uncounted(line)) {
        if let Some(name) = name(line) {
            let name = if matches!(name, "fstat" | "newfstatat") { "statx" } else { name };
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Returns whether a call is not counted: memory management, the allocator's first random bytes,
/// the summary requested by these tests, and the check of debug builds before they close a
/// descriptor.
fn is_uncounted(line: &str) -> bool {
    // The end of an interrupted call is on a separate line.
    let is_check = || [", F_GETFD)", ", F_GETFD <unfinished"].iter().any(|end| line.contains(end));
    name(line).is_some_and(|name| UNCOUNTED.contains(&name))
        || line.contains("8, GRND_NONBLOCK")
        || line.contains(r#"write(2, "{\"summary\":"#)
        || line.contains("fcntl(") && is_check()
}

#[test]
fn only_descriptor_checks_of_fcntl_are_uncounted() {
    let log = "7 getcwd(\"/\", 9) = 2\n7 fcntl(3, F_GETFD) = 0x1 (flags FD_CLOEXEC)\n\
        8 fcntl(3, F_GETFD <unfinished ...>\n8 <... fcntl resumed>) = 0\n\
        7 fcntl(3, F_DUPFD_CLOEXEC, 3) = 4\n7 fcntl(4, F_GETFL) = 0x8000\n7 mmap(NULL, 9) = 0\n";
    let counts = count_all(log);
    assert_eq!((counts["fcntl"], counts["getcwd"], counts.len()), (2, 1, 2), "{counts:?}");
}

impl Traced {
    /// Checks that the command counted all calls except for startup, output and threads.
    pub(crate) fn check(&self) {
        // Another thread might start a program, which must not inherit descriptors.
        let mut opened = self.log.lines().filter(|line| line.contains(" openat"));
        let inherited =
            opened.find(|line| line.contains("O_RDONLY") && !line.contains("O_CLOEXEC"));
        assert_eq!(inherited, None);
        // Queries must not trigger automounts. Only the standard library's queries of cgroups lack
        // the flag.
        let mut queries = self.log.lines().filter(|line| {
            line.contains(" statx(") && !line.contains("AT_EMPTY_PATH") && !line.contains("/cgroup")
        });
        assert_eq!(queries.find(|line| !line.contains("AT_NO_AUTOMOUNT")), None);
        let of = |name: &str| self.seen.get(name).copied().unwrap_or_default();
        let threads = of("clone3") + of("clone");
        // The standard library reads cgroup limits to count processors. With a second thread, the
        // allocator reads a kernel file.
        let limits = if self.log.contains("/cgroup") { 12 } else { threads.min(1) };
        let rest = difference(&self.seen, &self.counted);
        for (name, &more) in &rest {
            let most = match name.as_str() {
                "ppoll" => 1,
                "prlimit64" => 2,
                // strace also logs this call for each running thread.
                "exit_group" => 1 + threads,
                "close" => 1 + threads + limits,
                "openat" | "read" | "lseek" | "statx" => limits,
                "ioctl" | "getrandom" => 3 + 2 * threads,
                "rt_sigaction" => 12,
                "write" => self.written / (56 << 10) + 3 + threads,
                "clone" | "clone3" | "exit" | "rseq" | "set_robust_list" => threads,
                "sigaltstack" | "rt_sigprocmask" | "sched_getaffinity" => {
                    5 * threads + limits.min(1)
                }
                "prctl" | "gettid" | "sched_yield" => 2 * threads,
                "futex" if threads > 0 => self.counted.values().sum::<u64>() / 8 + 20,
                _ => 0,
            };
            let is_within = u64::try_from(more).is_ok_and(|more| more <= most);
            assert!(is_within, "{name}: {more} more than counted, {rest:?}");
        }
    }
}

pub(crate) fn difference(more: &Counts, less: &Counts) -> BTreeMap<String, i64> {
    let names = more.keys().chain(less.keys());
    let of =
        |counts: &Counts, name| counts.get(name).map_or(0, |&count| i64::try_from(count).unwrap());
    let changes = names.map(|name| (name.clone(), of(more, name) - of(less, name)));
    changes.filter(|&(_, change)| change != 0).collect()
}

pub(crate) fn total(counts: &Counts) -> u64 {
    counts.values().sum()
}
