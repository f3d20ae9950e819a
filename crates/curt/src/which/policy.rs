use curt_paths::Flavor;

/// The extensions of files that cmd.exe launches without an association, in its order.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";
/// The default `PATHEXT` of cmd.exe and of `CPython`'s `shutil`.
const CMD_EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD;.VBS;.JS;.WS;.MSC";

/// The authority whose rules a search follows. A test compares the rules with each authority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// The rules of curt: those of cmd.exe or `execvp`, but without searching the working directory
    /// implicitly. A directory that cannot be listed or searched is reported, but hides no program
    /// in later directories.
    #[default]
    Native,
    /// `execvp` of the C library. An empty entry of `PATH` means the working directory. A symlink
    /// loop or an overlong path ends the search.
    Posix,
    /// cmd.exe. Searches the working directory first (unless the environment forbids it), then
    /// `PATH`. In each directory tries the name itself if it has a dot, then the name with each
    /// extension. Skips a directory that cannot be listed.
    Cmd,
    /// `CPython`'s `shutil.which` since 3.12. Tries the name itself only if its extension is in
    /// `PATHEXT`. An empty entry means the working directory, but an empty `PATH` has no entries.
    CPython,
    /// Go's `exec.LookPath`. A program found by a relative path is an error. Items of `PATHEXT`
    /// without a dot get one. Without `PATH` no directory is searched.
    Go,
    /// libuv. Tries the name itself if it has a dot, then `.com` and `.exe`, whatever `PATHEXT`
    /// contains.
    Libuv,
    /// Node's `child_process`: libuv on Windows, `execvp` elsewhere.
    Node,
    /// Zig's `std.process`. On Windows always searches the working directory, and tries the name
    /// itself first, then the extensions of `PATHEXT` that it can launch. Elsewhere follows
    /// `execvp`, but skips empty entries.
    Zig,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    Literal,
    /// A quote anywhere begins or ends a part in which `;` has no special meaning. An unpaired
    /// quote is ignored, because it would otherwise swallow the entries after it.
    Paired,
    /// Like `Paired`, but the part after an unpaired quote extends to the end of `PATH`. Go's test
    /// of `SplitList` observed this in cmd.exe.
    Open,
    /// A quote (`"` or `'`) counts only at the front of an entry. It begins a part that ends at the
    /// next quote of the same kind.
    Around,
}

/// The rules of a policy on one system. Rules shared by several authorities are fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) flavor: Flavor,
    /// The policy these rules belong to, for rules of only one policy.
    authority: Policy,
    /// Whether the working directory is searched implicitly.
    pub(super) cwd: bool,
    /// The extensions if `PATHEXT` is unset or empty (Windows rules only).
    pub(super) extensions: &'static str,
    pub(super) quotes: Quotes,
    /// Whether an empty `PATH` counts as a single empty entry.
    pub(super) empty_path_is_entry: bool,
    /// Whether only the first program found may be started. Otherwise, if it has disappeared or
    /// access to it is denied, the next one is tried.
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

    /// Returns whether the policy has rules for this system. Each policy has rules for at least
    /// one.
    pub fn has_rules_of(self, flavor: Flavor) -> bool {
        self.rules(flavor).flavor == flavor
    }

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
    /// Returns whether the rules follow this authority. On Windows, [`Policy::Node`] counts as
    /// [`Policy::Libuv`]. Elsewhere, `Node` and `Zig` count as [`Policy::Posix`].
    pub(crate) fn are_of(&self, authority: Policy) -> bool {
        self.authority == authority
    }
}
