//! Compares a GNU tool with curt's command of the same name.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use curt_testkit::{Choices, Scratch, skip, try_seeds};

use crate::tree::{Tree, quoted};

pub(crate) struct Fixture {
    pub(crate) scratch: Scratch,
    pub(crate) curt: PathBuf,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let scratch = Scratch::new();
        fs::set_permissions(scratch.path(), Permissions::from_mode(0o755)).unwrap();
        let curt = scratch.program(env!("CARGO_BIN_EXE_curt"), "curt");
        fs::set_permissions(&curt, Permissions::from_mode(0o755)).unwrap();
        Fixture { scratch, curt }
    }

    /// The constant name `here` can be part of an operand.
    pub(crate) fn dir(&self) -> PathBuf {
        self.scratch.dir("run/here")
    }

    pub(crate) fn clear(&self) {
        self.scratch.remove("run");
    }
}

/// Returns a time zone one hour ahead of UTC, with two consecutive leap seconds and a negative one.
pub(crate) fn zone_with_leap_seconds(version: u8) -> Vec<u8> {
    let leaps = [(78_796_800, 1), (94_694_401, 2), (94_694_402, 3), (1_483_228_802, 2_i32)];
    let block = |is_long: bool| {
        // No indicators or transitions, and one type whose name takes four bytes.
        let counts = [0, 0, leaps.len() as u32, 0, 1, 4].map(u32::to_be_bytes).concat();
        let mut block = [b"TZif", &[version][..], &[0; 15], &counts].concat();
        block.extend(b"\0\0\x0e\x10\0\0ONE\0");
        for (time, total) in leaps {
            let time = i64::to_be_bytes(time);
            block.extend(&time[if is_long { 0 } else { 4 }..]);
            block.extend(total.to_be_bytes());
        }
        block
    };
    match version {
        0 => block(false),
        _ => [block(false), block(true), b"\nONE-1\n".to_vec()].concat(),
    }
}

pub(crate) fn has_gnu(tool: &str) -> Option<()> {
    let version = Command::new(tool).arg("--version").output();
    let version = version.map_or(Vec::new(), |output| output.stdout);
    let is_gnu = version.starts_with(format!("{tool} (GNU ").as_bytes());
    if !is_gnu {
        skip(&format!("GNU {tool} is not installed"));
    }
    is_gnu.then_some(())
}

pub(crate) fn has_utf8() -> bool {
    let locales = Command::new("locale").arg("-a").output();
    let locales = locales.map_or(Vec::new(), |output| output.stdout).to_ascii_lowercase();
    let has = locales.split(|&byte| byte == b'\n').any(|name| name.starts_with(b"c.utf"));
    if !has {
        skip("the locale C.UTF-8 is not installed");
    }
    has
}

/// Makes `openat2` fail as under the seccomp profiles of old containers.
pub(crate) const FILTER: &str =
    "strace -f -qq -o /dev/null -e trace=openat2 -e inject=openat2:error=EPERM";

#[derive(PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) messages: String,
}

impl Outcome {
    /// Ignores usage messages and their exit code: curt's is 2, and mostly 1 elsewhere.
    pub(crate) fn equate_usage(&mut self) {
        if self.messages.contains(" --help' for more information") {
            (self.code, self.messages) = (Some(2), String::new());
        }
    }
}

/// Removes empty pairs of quotes, which some versions print before a name that contains a single
/// quote and ends in an escape.
pub(crate) fn equate_quotes(outcome: &mut Outcome) {
    outcome.messages = outcome.messages.replace("''", "");
    outcome.out = String::from_utf8_lossy(&outcome.out).replace("''", "").into_bytes();
}

impl fmt::Debug for Outcome {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let out = String::from_utf8_lossy(&self.out);
        write!(to, "{:?}\n{}\n{}", self.code, out.escape_debug(), self.messages.escape_debug())
    }
}

/// A tool and curt, run with only these environment variables.
#[derive(Clone)]
pub(crate) struct Pair<'a> {
    pub(crate) tool: &'a str,
    pub(crate) curt: &'a Path,
    pub(crate) dir: &'a Path,
    pub(crate) user: Option<u32>,
    pub(crate) umask: &'a str,
    pub(crate) variables: &'a [(&'a str, &'a str)],
    pub(crate) input: &'a str,
    pub(crate) is_sorted: bool,
    pub(crate) equate: fn(&mut Outcome),
}

impl<'a> Pair<'a> {
    pub(crate) fn new(tool: &'a str, dir: &'a Path) -> Option<Pair<'a>> {
        has_gnu(tool)?;
        Some(Pair {
            tool,
            curt: Path::new(env!("CARGO_BIN_EXE_curt")),
            dir,
            user: None,
            umask: "",
            variables: &[],
            input: "",
            is_sorted: false,
            equate: |_| {},
        })
    }

    fn outcome<S: AsRef<OsStr>>(&self, program: &Path, words: &[S]) -> Outcome {
        let mut command = Command::new(program);
        if !self.umask.is_empty() {
            command = Command::new("sh");
            command.args(["-c", &format!("umask {}; exec \"$0\" \"$@\"", self.umask)]).arg(program);
        }
        command.args(words).current_dir(self.dir).env_clear().env("LC_ALL", "C");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.variables.iter().copied());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let output = if self.input.is_empty() {
            command.stdin(Stdio::null()).output().unwrap()
        } else {
            run_with_input(&mut command, self.input.as_bytes())
        };
        let mut outcome = Outcome {
            code: output.status.code(),
            out: output.stdout,
            messages: by_tool(self.tool, &output.stderr),
        };
        (self.equate)(&mut outcome);
        if self.is_sorted {
            let mut lines: Vec<&[u8]> =
                outcome.out.split_inclusive(|byte| b"\n\0".contains(byte)).collect();
            lines.sort_unstable();
            outcome.out = lines.concat();
            outcome.messages = sorted_messages(self.tool, &outcome.messages);
        }
        outcome
    }

    pub(crate) fn gnu<S: AsRef<OsStr>>(&self, words: &[S]) -> Outcome {
        self.outcome(Path::new(self.tool), words)
    }

    /// Runs curt. If the executable has the tool's name, no command is passed.
    pub(crate) fn ours<S: AsRef<OsStr>>(&self, words: &[S]) -> Outcome {
        let is_named = self.curt.file_name() == Some(self.tool.as_ref());
        let first = (!is_named).then_some(OsStr::new(self.tool));
        let words = first.into_iter().chain(words.iter().map(AsRef::as_ref));
        self.outcome(self.curt, &words.collect::<Vec<_>>())
    }

    pub(crate) fn difference<S: AsRef<OsStr>>(&self, words: &[S]) -> Option<String> {
        let (gnu, ours) = (self.gnu(words), self.ours(words));
        (gnu != ours).then(|| {
            let words: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
            let (tool, variables) = (self.tool, self.variables);
            format!("{tool} {} {variables:?}\n GNU {gnu:?}\ncurt {ours:?}", words.join(" "))
        })
    }

    pub(crate) fn compare<S: AsRef<str>>(&self, lines: &[S]) {
        self.compare_with(lines, &[""]);
    }

    pub(crate) fn compare_with<S: AsRef<str>>(&self, lines: &[S], operands: &[&str]) {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let lines = lines.iter().flat_map(|line| {
            operands.iter().map(move |operands| [words(line.as_ref()), words(operands)].concat())
        });
        let wrong: Vec<String> = lines.filter_map(|line| self.difference(&line)).collect();
        assert!(wrong.is_empty(), "{} differ:\n\n{}", wrong.len(), wrong.join("\n\n"));
    }
}

pub(crate) fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The command might have ended without reading its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub(crate) fn by_tool(tool: &str, messages: &[u8]) -> String {
    without_hints(&String::from_utf8_lossy(messages).replace(&format!("curt {tool}"), tool))
}

/// Removes hints that GNU rm does not print.
pub(crate) fn without_hints(messages: &str) -> String {
    let messages = messages.replace("; -r removes directories", "");
    let messages = messages.replace("; it may be a mount point", "");
    let mut parts = messages.split(" to remove the symlink itself").peekable();
    let mut text = String::new();
    while let Some(part) = parts.next() {
        let hint = part.rfind("; write ").filter(|_| parts.peek().is_some());
        text.push_str(&part[..hint.unwrap_or(part.len())]);
    }
    text
}

/// Sorts messages, and drops curt's total of errors. Splits at the tool's name, because prompts do
/// not end in a newline.
fn sorted_messages(tool: &str, messages: &str) -> String {
    let begin = format!("{tool}: ");
    let messages = messages.split(&begin).map(|message| message.trim_end_matches('\n'));
    let mut messages: Vec<&str> = messages.filter(|it| !it.ends_with(" errors")).collect();
    messages.sort_unstable();
    messages.join("\n")
}

#[derive(Clone)]
pub(crate) struct Trial {
    pub(crate) tree: Tree,
    /// The tool's spelling and curt's, each possibly of several words.
    pub(crate) options: Vec<[String; 2]>,
    pub(crate) operands: Vec<OsString>,
    pub(crate) user: Option<u32>,
    pub(crate) input: &'static str,
}

impl Trial {
    pub(crate) fn random(
        choices: &mut Choices,
        tree: Tree,
        options: &[&str],
        operands: usize,
    ) -> Trial {
        let some = choices.below(5);
        let options = (0..some).map(|_| choices.one_of(options));
        let options = options.map(|it| [it.to_owned(), it.to_owned()]).collect();
        let some = choices.below(operands + 1);
        let operands = (0..some).map(|_| tree.operand(choices)).collect();
        Trial { tree, options, operands, user: None, input: "" }
    }

    pub(crate) fn words(&self, of: usize) -> Vec<OsString> {
        let options = self.options.iter().flat_map(|option| option[of].split_whitespace());
        let end = (!self.operands.is_empty()).then_some("--");
        let options = options.chain(end).map(OsString::from);
        options.chain(self.operands.iter().cloned()).collect()
    }

    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|[_, ours]| ours == option)
    }

    fn smaller(&self) -> Vec<Trial> {
        let less = |change: &dyn Fn(&mut Trial)| {
            let mut less = self.clone();
            change(&mut less);
            less
        };
        let options = (0..self.options.len()).map(|at| less(&|it| drop(it.options.remove(at))));
        let operands = (0..self.operands.len()).map(|at| less(&|it| drop(it.operands.remove(at))));
        let trees = (0..).map_while(|at| self.tree.without(at));
        let trees = trees.map(|tree| Trial { tree, ..self.clone() });
        options.chain(operands).chain(trees).collect()
    }
}

/// Compares random trees and command lines. Fails with the smallest difference found, as a shell
/// script.
pub(crate) fn property(
    tool: &str,
    random: impl Fn(&mut Choices) -> Trial,
    differs: impl Fn(&Trial) -> Option<String>,
) {
    try_seeds(tool, include_str!("seeds.txt"), |choices| {
        let mut trial = random(choices);
        let Some(mut why) = differs(&trial) else { return Ok(()) };
        while let Some((less, still)) =
            trial.smaller().into_iter().find_map(|less| differs(&less).map(|why| (less, why)))
        {
            (trial, why) = (less, still);
        }
        let user = trial.user.map_or(String::new(), |user| {
            let id = format!("--reuid={user} --regid={user} --clear-groups");
            format!("chown -R {user}:{user} ..  # before chmod\nsetpriv {id} ")
        });
        let line = |of| trial.words(of).iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" ");
        let input = if trial.input.is_empty() { "</dev/null" } else { "<answers" };
        let script = format!("{}{user}{tool} {} {input}\n# curt: {}", trial.tree, line(0), line(1));
        Err(format!("\nmkdir -p run/here; cd run/here\n{script}\n\n{why}"))
    });
}
