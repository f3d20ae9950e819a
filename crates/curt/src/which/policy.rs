//! Whose rules a search follows: one table, a row for each authority.

use curt_paths::Flavor;

use super::found::Program;

/// The default of `PATHEXT`: what is launched without an association, in the order of cmd.exe.
pub(super) const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";
/// The default of `PATHEXT` of cmd.exe and of `CPython`'s `shutil`.
const CMD_EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD;.VBS;.JS;.WS;.MSC";

/// Whose rules a search follows. Each is compared with its authority by a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// curt's own rules: those of cmd.exe or `execvp`, but nothing is searched implicitly, and a
    /// directory that may not be listed or searched hides nothing and is reported.
    #[default]
    Native,
    /// `execvp` of the C library: empty entries of `PATH` are the working directory; a link loop
    /// and a path that is too long end the search.
    Posix,
    /// cmd.exe: the working directory first (unless the environment says no), then `PATH`; in each
    /// the name if it has a dot, then with each extension.
    Cmd,
    /// `CPython`'s `shutil.which` since 3.12: the name as it is only with an extension of the list,
    /// and empty entries are the working directory. An empty `PATH` has none.
    CPython,
    /// Go's `exec.LookPath`: what is found by a relative path is an error, items of `PATHEXT` get a
    /// dot, and nothing is searched without `PATH`.
    Go,
    /// libuv: the name if it has a dot, then `.com` and `.exe`.
    Libuv,
    /// The same, and `.bat` and `.cmd`.
    LibuvBatch,
    /// libuv's flag for exact names: the bare name first, where the name has a directory.
    LibuvExact,
    /// Node's `child_process`: as libuv on Windows, as `execvp` elsewhere.
    Node,
    /// Zig's `std.process`: on Windows the working directory always, the name as it is first, and
    /// of `PATHEXT` what it can launch; elsewhere as `execvp`, with empty entries skipped.
    Zig,
}

/// Whether the working directory is searched implicitly: before `PATH` by Windows' rules, for an
/// empty entry of `PATH` by those of POSIX. An explicit `.` in `PATH` is an entry like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cwd {
    /// It is not searched. If only that contains the program, the error says so.
    Never,
    /// It is searched as the authority does: on Windows unless `NoDefaultCurrentDirectoryInExePath`
    /// is set.
    Auto,
    /// It is searched even if `NoDefaultCurrentDirectoryInExePath` is set. By POSIX rules this is
    /// [`Cwd::Auto`]: without an empty entry of `PATH` it is no part of the search.
    Always,
    /// As [`Cwd::Auto`], but a program in the working directory, or in any relative entry, is an
    /// error that names it.
    Report,
}

/// Whether a name without an extension is a program by Windows' rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bare {
    Never,
    /// It is tried before the names with extensions.
    First,
    /// It is tried before the names with extensions if it contains a directory.
    WithDirectory,
}

/// What a quote in `PATH` means by Windows' rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// It is a character as others are.
    Literal,
    /// Anywhere it begins or ends a part in which `;` is a character as others are. One without a
    /// partner is ignored: otherwise it would swallow the entries behind it.
    Paired,
    /// The same, and one without a partner takes the rest of `PATH`: cmd.exe, by the test of Go's
    /// `SplitList` that asks it.
    Open,
    /// At the front of an entry it begins a part that ends with the next one of its kind, which can
    /// be `'`; inside an entry it is a character as others are.
    Around,
}

/// Which extensions are appended. A list has the form of `PATHEXT`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extensions {
    /// Those of `PATHEXT`, or these if it is unset or empty.
    Environment(&'static str),
    Only(&'static str),
    /// Those of `PATHEXT` that are among these.
    Among(&'static str),
}

/// The rules of a policy on one system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// How `PATH` is split, which candidates a name has, and what makes one of them a program.
    pub(crate) flavor: Flavor,
    pub(super) cwd: Cwd,
    /// Windows: whether names without an extension are programs.
    pub(super) bare: Bare,
    /// Windows: whether a name with an extension is tried as it is only if that is listed.
    pub(super) literal_is_listed: bool,
    /// Windows: which extensions are appended.
    pub(super) extensions: Extensions,
    /// Windows: whether an item of `PATHEXT` without a dot gets one. Else it is dropped.
    pub(super) completes_extensions: bool,
    /// Windows: whether an empty entry of `PATH` is the working directory. Else it is skipped.
    pub(super) empty_is_cwd: bool,
    /// Windows: what a quote in `PATH` means.
    pub(super) quotes: Quotes,
    /// Windows: whether each candidate is probed in a directory that may not be listed. Else the
    /// directory is skipped.
    pub(super) probes_unlistable: bool,
    /// POSIX: whether an unset `PATH` stands for the default of the system. Else nothing is
    /// searched.
    pub(super) default_path: bool,
    /// Whether an empty `PATH` is one empty entry. Else nothing is searched.
    pub(super) empty_path_is_entry: bool,
    /// POSIX: whether a name that is not found is a permission error if one of the directories may
    /// not be searched.
    pub(super) denied_if_unsearchable: bool,
    /// POSIX: whether a link loop, or a path that is too long, ends the search.
    pub(super) stops_at_faults: bool,
    /// POSIX: whether anything but a directory is a program, also a FIFO.
    pub(super) finds_any_kind: bool,
    /// Whether only the first candidate is started. Else the next one is if it no longer exists or
    /// access to it is denied.
    pub(super) starts_first_only: bool,
    /// Windows: whether a candidate of `PATH` that could not be started counts as not found, so
    /// that the error is that of the working directory.
    pub(crate) reports_cwd_only: bool,
}

/// curt's own rules by those of POSIX.
const POSIX: Rules = Rules {
    flavor: Flavor::Posix,
    cwd: Cwd::Never,
    bare: Bare::Never,
    literal_is_listed: false,
    extensions: Extensions::Environment(EXTENSIONS),
    completes_extensions: false,
    empty_is_cwd: false,
    quotes: Quotes::Paired,
    probes_unlistable: true,
    default_path: true,
    empty_path_is_entry: true,
    denied_if_unsearchable: false,
    stops_at_faults: false,
    finds_any_kind: false,
    starts_first_only: false,
    reports_cwd_only: false,
};

/// curt's own rules by those of Windows.
const WINDOWS: Rules = Rules { flavor: Flavor::Windows, ..POSIX };

const EXECVP: Rules =
    Rules { cwd: Cwd::Auto, denied_if_unsearchable: true, stops_at_faults: true, ..POSIX };

const LIBUV: Rules = Rules {
    cwd: Cwd::Auto,
    extensions: Extensions::Only(".com;.exe"),
    quotes: Quotes::Around,
    starts_first_only: true,
    ..WINDOWS
};

const fn go(base: Rules) -> Rules {
    Rules {
        cwd: Cwd::Report,
        completes_extensions: true,
        quotes: Quotes::Open,
        default_path: false,
        empty_path_is_entry: false,
        starts_first_only: true,
        ..base
    }
}

const fn cpython(base: Rules) -> Rules {
    Rules {
        cwd: Cwd::Auto,
        literal_is_listed: true,
        extensions: Extensions::Environment(CMD_EXTENSIONS),
        empty_is_cwd: true,
        quotes: Quotes::Literal,
        empty_path_is_entry: false,
        finds_any_kind: true,
        starts_first_only: true,
        ..base
    }
}

/// A policy: its name, and its rules on each system.
struct Row {
    name: &'static str,
    policy: Policy,
    windows: Option<Rules>,
    posix: Option<Rules>,
}

const fn row(
    name: &'static str,
    policy: Policy,
    windows: Option<Rules>,
    posix: Option<Rules>,
) -> Row {
    Row { name, policy, windows, posix }
}

const TABLE: [Row; 10] = [
    row("native", Policy::Native, Some(WINDOWS), Some(POSIX)),
    row("posix", Policy::Posix, None, Some(EXECVP)),
    row(
        "cmd",
        Policy::Cmd,
        Some(Rules {
            cwd: Cwd::Auto,
            extensions: Extensions::Environment(CMD_EXTENSIONS),
            quotes: Quotes::Open,
            probes_unlistable: false,
            ..WINDOWS
        }),
        None,
    ),
    row("cpython", Policy::CPython, Some(cpython(WINDOWS)), Some(cpython(POSIX))),
    row("go", Policy::Go, Some(go(WINDOWS)), Some(go(POSIX))),
    row("libuv", Policy::Libuv, Some(LIBUV), None),
    row(
        "libuv-batch",
        Policy::LibuvBatch,
        Some(Rules { extensions: Extensions::Only(".com;.exe;.bat;.cmd"), ..LIBUV }),
        None,
    ),
    row(
        "libuv-exact",
        Policy::LibuvExact,
        Some(Rules { bare: Bare::WithDirectory, ..LIBUV }),
        None,
    ),
    row("node", Policy::Node, Some(LIBUV), Some(EXECVP)),
    row(
        "zig",
        Policy::Zig,
        Some(Rules {
            cwd: Cwd::Always,
            bare: Bare::First,
            extensions: Extensions::Among(EXTENSIONS),
            quotes: Quotes::Literal,
            reports_cwd_only: true,
            ..WINDOWS
        }),
        Some(Rules { cwd: Cwd::Never, ..EXECVP }),
    ),
];

impl Policy {
    /// The names of all policies, as [`Policy::named`] takes them.
    pub const NAMES: [&'static str; TABLE.len()] = {
        let mut names = [""; TABLE.len()];
        let mut at = 0;
        while at < TABLE.len() {
            names[at] = TABLE[at].name;
            at += 1;
        }
        names
    };

    /// Returns the policy of this name, one of [`Policy::NAMES`].
    ///
    /// ```
    /// use curt::which::Policy;
    /// assert_eq!(Policy::named("cpython"), Some(Policy::CPython));
    /// ```
    pub fn named(name: &str) -> Option<Policy> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.policy)
    }

    /// Whether it has rules for this system. Each policy has rules for one at least, which work on
    /// every system.
    pub fn has_rules_of(self, flavor: Flavor) -> bool {
        self.rules_of(flavor).is_some()
    }

    fn rules_of(self, flavor: Flavor) -> Option<Rules> {
        let row = TABLE.iter().find(|row| row.policy == self)?;
        match flavor {
            Flavor::Windows => row.windows,
            Flavor::Posix => row.posix,
        }
    }

    /// Returns its rules for this system or, where it has none, for the other one.
    pub(crate) fn rules(self, flavor: Flavor) -> Rules {
        let of = |flavor| self.rules_of(flavor);
        of(flavor).or_else(|| of(Flavor::Windows)).or_else(|| of(Flavor::Posix)).unwrap_or(POSIX)
    }
}

/// Why a candidate could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaunchFailure {
    /// It or its interpreter does not exist.
    NotFound,
    /// It may not be executed.
    Denied,
    /// Windows: it is an image by its name but not by its contents.
    BadImage,
    /// POSIX: the system does not know its format.
    BadFormat,
    /// It is open for writing.
    Busy,
    /// Any other failure: a link loop, a name or arguments that are too long, no memory.
    Other,
}

impl Rules {
    /// Whether the search goes on with the next candidate after one could not be started.
    ///
    /// On Windows a corrupt image ends it, as in cmd.exe, but a file without an extension that is
    /// not an image does not. On POSIX it goes on only where `execvp` does.
    pub(crate) fn continues_after(&self, failure: LaunchFailure, program: Program) -> bool {
        match failure {
            _ if self.starts_first_only => false,
            LaunchFailure::NotFound | LaunchFailure::Denied => true,
            LaunchFailure::BadImage => program != Program::Image,
            _ => false,
        }
    }
}
