//! Whose rules a search follows: one table, a row for each authority.

use curt_paths::Flavor;

/// The default of `PATHEXT`: what is launched without an association, in the order of cmd.exe.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";
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
    /// the name if it has a dot, then with each extension. A directory that may not be listed is
    /// skipped.
    Cmd,
    /// `CPython`'s `shutil.which` since 3.12: the name as it is only with an extension of the list,
    /// and empty entries are the working directory. An empty `PATH` has none.
    CPython,
    /// Go's `exec.LookPath`: what is found by a relative path is an error, items of `PATHEXT` get a
    /// dot, and nothing is searched without `PATH`.
    Go,
    /// libuv: the name if it has a dot, then `.com` and `.exe`, whatever `PATHEXT` is.
    Libuv,
    /// Node's `child_process`: as libuv on Windows, as `execvp` elsewhere.
    Node,
    /// Zig's `std.process`: on Windows the working directory always, the name as it is first, and
    /// of `PATHEXT` what it can launch; elsewhere as `execvp`, with empty entries skipped.
    Zig,
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

/// The rules of a policy on one system, as far as several authorities share them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// How `PATH` is split, which candidates a name has, and what makes one of them a program.
    pub(crate) flavor: Flavor,
    /// The authority, for rules that only this one has: see [`Rules::are_of`].
    authority: Policy,
    /// Whether the working directory is searched implicitly: before `PATH` by Windows' rules, for
    /// an empty entry of `PATH` by those of POSIX.
    pub(super) cwd: bool,
    /// Windows: the extensions to append if `PATHEXT` is unset or empty, in its form.
    pub(super) extensions: &'static str,
    /// Windows: what a quote in `PATH` means.
    pub(super) quotes: Quotes,
    /// Whether an empty `PATH` is one empty entry. Else nothing is searched.
    pub(super) empty_path_is_entry: bool,
    /// Whether only the first candidate is started. Else the next one is if it no longer exists or
    /// access to it is denied.
    pub(crate) starts_first_only: bool,
}

impl Policy {
    /// All policies and their names.
    pub const ALL: [(&'static str, Policy); 8] = [
        ("native", Policy::Native),
        ("posix", Policy::Posix),
        ("cmd", Policy::Cmd),
        ("cpython", Policy::CPython),
        ("go", Policy::Go),
        ("libuv", Policy::Libuv),
        ("node", Policy::Node),
        ("zig", Policy::Zig),
    ];

    /// Whether it has rules for this system. Each policy has rules for one at least, which work on
    /// every system.
    pub fn has_rules_of(self, flavor: Flavor) -> bool {
        self.rules(flavor).flavor == flavor
    }

    /// Returns its rules for this system or, where it has none, for the other one.
    pub(crate) fn rules(self, flavor: Flavor) -> Rules {
        use Flavor::{Posix, Windows};
        let native = Rules {
            flavor,
            authority: self,
            cwd: false,
            extensions: EXTENSIONS,
            quotes: Quotes::Paired,
            empty_path_is_entry: true,
            starts_first_only: false,
        };
        let execvp = Rules { flavor: Posix, authority: Policy::Posix, cwd: true, ..native };
        match (self, flavor) {
            (Policy::Native, _) => native,
            (Policy::Posix, _) | (Policy::Node, Posix) => execvp,
            (Policy::Zig, Posix) => Rules { cwd: false, ..execvp },
            (Policy::Zig, Windows) => {
                Rules { cwd: true, extensions: "", quotes: Quotes::Literal, ..native }
            }
            (Policy::Cmd, _) => Rules {
                flavor: Windows,
                cwd: true,
                extensions: CMD_EXTENSIONS,
                quotes: Quotes::Open,
                ..native
            },
            (Policy::CPython, _) => Rules {
                cwd: true,
                extensions: CMD_EXTENSIONS,
                quotes: Quotes::Literal,
                empty_path_is_entry: false,
                starts_first_only: true,
                ..native
            },
            (Policy::Go, _) => Rules {
                cwd: true,
                quotes: Quotes::Open,
                empty_path_is_entry: false,
                starts_first_only: true,
                ..native
            },
            (Policy::Libuv, _) | (Policy::Node, Windows) => Rules {
                flavor: Windows,
                authority: Policy::Libuv,
                cwd: true,
                extensions: ".com;.exe",
                quotes: Quotes::Around,
                starts_first_only: true,
                ..native
            },
        }
    }
}

impl Rules {
    /// Whether they are those of this authority. Node has those of libuv on Windows; Node and Zig
    /// have those of `execvp` elsewhere.
    pub(crate) fn are_of(&self, authority: Policy) -> bool {
        self.authority == authority
    }
}
