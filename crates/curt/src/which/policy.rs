//! By whose rules programs are looked for: one value, with a preset for each authority.
//!
//! # The table of extensions
//!
//! What is launched how is [`LAUNCHABLE`]. `.com` and `.exe` are images and `.bat` and `.cmd` batch files
//! by Microsoft's page of `CreateProcessW` ("Parameters", `lpApplicationName`, and the remark on batch
//! files); every other extension is started by what is registered for it (`ShellExecute`), as cmd.exe
//! does. The lists that hold where `PATHEXT` is not set are those of cmd.exe ([`CMD_EXTENSIONS`], also in
//! `CPython`'s `shutil`) and of curt ([`EXTENSIONS`]: what can be launched without an association).

use curt_paths::Flavor;

/// How each extension is launched that needs nothing registered for it.
pub(super) const LAUNCHABLE: [(&str, Program); 4] = [
    (".com", Program::Image),
    (".exe", Program::Image),
    (".bat", Program::Batch),
    (".cmd", Program::Batch),
];

/// The extensions where `PATHEXT` is not set, in the order of cmd.exe.
pub(super) const EXTENSIONS: &[&str] = &[".COM", ".EXE", ".BAT", ".CMD"];

/// What cmd.exe takes instead.
pub(super) const CMD_EXTENSIONS: &[&str] =
    &[".COM", ".EXE", ".BAT", ".CMD", ".VBS", ".JS", ".WS", ".MSC"];

/// What a program is, as far as it decides how it is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Program {
    /// A file that may be executed; it was not looked into, so it may be an image or a script. By Windows'
    /// rules: a file without an extension, which may be anything.
    #[default]
    Executable,
    /// An image that the system runs itself.
    Image,
    /// A batch file, run by cmd.exe.
    Batch,
    /// A text that begins with `#!` and the interpreter that runs it.
    Script,
    /// A file that is started by what is registered for its extension.
    Association,
}

impl Program {
    /// One word: `executable`, `image`, `batch`, `script` or `association`.
    pub fn word(self) -> &'static str {
        match self {
            Program::Executable => "executable",
            Program::Image => "image",
            Program::Batch => "batch",
            Program::Script => "script",
            Program::Association => "association",
        }
    }
}

/// Whether the place that nobody named is searched: the working directory on Windows, the empty entry of
/// `PATH` on POSIX. An explicit `.` is an entry as others are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cwd {
    /// Not. Where the name is found there and nowhere else, the error says so.
    Never,
    /// As the authority has it: on Windows unless `NoDefaultCurrentDirectoryInExePath` is set.
    Auto,
    /// Yes.
    Always,
    /// As [`Cwd::Auto`], but a program found there, or in any relative entry, is an error that names it.
    Report,
}

/// Whether a name without an extension is a program by Windows' rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bare {
    /// Not.
    Never,
    /// Before the names with extensions.
    First,
    /// Before the names with extensions where the name has a directory; else not.
    WithDirectory,
    /// Behind the names with extensions.
    Last,
}

/// When a name that has an extension is looked for as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Literal {
    /// Whatever its extension.
    Dotted,
    /// Only if its extension is in the list.
    Listed,
}

/// Which extensions are appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extensions {
    /// Those of `PATHEXT`; these where it is not set or empty.
    Environment(&'static [&'static str]),
    /// Those of `PATHEXT` behind another one; these where it is not set or empty.
    Behind(&'static str, &'static [&'static str]),
    /// These alone.
    Only(&'static [&'static str]),
    /// Those of `PATHEXT` that are among these.
    Among(&'static [&'static str]),
}

/// Why a candidate could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LaunchFailure {
    /// It is gone (`ENOENT`, `ERROR_FILE_NOT_FOUND`, `ERROR_PATH_NOT_FOUND`), or its interpreter is.
    NotFound,
    /// It may not be executed (`EACCES`, `ERROR_ACCESS_DENIED`).
    Denied,
    /// It is called an image and is none (`ERROR_BAD_EXE_FORMAT` and its kin).
    BadImage,
    /// It is in no format that the system knows (`ENOEXEC`).
    BadFormat,
    /// Somebody has it open for writing (`ETXTBSY`).
    Busy,
    /// Anything else: a loop of links, a name or arguments that are too long, no memory.
    Other,
}

/// By whose rules programs are looked for.
///
/// A plain value: take a preset and change what should differ.
///
/// ```
/// use curt::{Cwd, Policy};
/// let mut policy = Policy::cmd();
/// policy.cwd = Cwd::Never;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Whose rules: how `PATH` is split, which names have which candidates, what makes one a program.
    pub rules: Flavor,
    /// Whether the place that nobody named is searched.
    pub cwd: Cwd,
    /// Windows: whether names without an extension are programs.
    pub bare: Bare,
    /// Windows: when a name that has an extension is looked for as it is.
    pub literal: Literal,
    /// Windows: which extensions are appended.
    pub extensions: Extensions,
    /// Windows: whether extensions are appended to a name that has a dot.
    pub appends_to_dotted: bool,
    /// Windows: whether a name that ends in a listed extension gets none appended, so that `a.exe` never
    /// means `a.exe.exe`.
    pub strict_extension: bool,
    /// Windows: whether an item of `PATHEXT` without a dot gets one; else it is dropped.
    pub completes_extensions: bool,
    /// Windows: whether an empty entry of `PATH` is the working directory; else it is passed over.
    pub empty_is_cwd: bool,
    /// Windows: whether quotes in `PATH` keep a `;` from ending an entry.
    pub quotes: bool,
    /// Windows: whether a directory that may not be listed is searched by one question for each candidate;
    /// else it is passed over.
    pub probes_unlistable: bool,
    /// Windows: whether the directories of the system are searched before `PATH`.
    pub system_directories: bool,
    /// POSIX: whether a `PATH` that is not set stands for the system's own; else nothing is searched.
    pub default_path: bool,
    /// POSIX: whether a `PATH` that is set and empty is one empty entry; else nothing is searched.
    pub empty_path_is_entry: bool,
    /// POSIX: whether a name found nowhere is an error of permission, where one of the directories may
    /// not be searched.
    pub denied_if_unsearchable: bool,
    /// POSIX: whether a loop of links, or a path that is too long, ends the search.
    pub stops_at_faults: bool,
    /// Whether a candidate that is an image by its name, `.exe` or `.com`, and by nothing else ends the
    /// search. A file without an extension that is no image is passed over in any case.
    pub stops_at_bad_image: bool,
    /// Whether only the first candidate is started; else the next one where it is gone or access to it is
    /// denied.
    pub starts_first_only: bool,
    /// Windows: whether a candidate of `PATH` that was passed over because it could not be started counts
    /// as not found, so that the error is that of the working directory.
    pub reports_cwd_only: bool,
}

impl Default for Policy {
    /// curt's own for the system it runs on.
    fn default() -> Policy {
        Policy::safe(Flavor::NATIVE)
    }
}

impl Policy {
    /// The presets, by the names that [`Policy::named`] takes.
    pub const NAMES: [&'static str; 12] = [
        "cmd",
        "powershell",
        "createprocess",
        "posix_sh",
        "execvp",
        "libuv",
        "libuv-batch",
        "libuv-exact",
        "node",
        "go",
        "cpython",
        "zig",
    ];

    /// curt's own: as cmd.exe and as `execvp`, but no place is searched that nobody named, and what may
    /// not be listed or searched hides nothing and is told of.
    pub fn safe(rules: Flavor) -> Policy {
        Policy {
            rules,
            cwd: Cwd::Never,
            bare: Bare::Never,
            literal: Literal::Dotted,
            extensions: Extensions::Environment(EXTENSIONS),
            appends_to_dotted: true,
            strict_extension: false,
            completes_extensions: false,
            empty_is_cwd: false,
            quotes: true,
            probes_unlistable: true,
            system_directories: false,
            default_path: true,
            empty_path_is_entry: true,
            denied_if_unsearchable: false,
            stops_at_faults: false,
            stops_at_bad_image: true,
            starts_first_only: false,
            reports_cwd_only: false,
        }
    }

    /// cmd.exe: the working directory first (unless the environment says no), then `PATH`; in each
    /// the name if it has a dot, then with each extension.
    pub fn cmd() -> Policy {
        Policy {
            cwd: Cwd::Auto,
            extensions: Extensions::Environment(CMD_EXTENSIONS),
            probes_unlistable: false,
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// `PowerShell`: `PATH` alone; `.ps1` before the other extensions; the bare name last.
    pub fn powershell() -> Policy {
        Policy {
            bare: Bare::Last,
            extensions: Extensions::Behind(".PS1", EXTENSIONS),
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// `CreateProcessW` with a bare name: `.exe` unless the name has a dot; the working directory (unless
    /// the environment says no) and the directories of the system before `PATH`.
    pub fn createprocess() -> Policy {
        Policy {
            cwd: Cwd::Auto,
            extensions: Extensions::Only(&[".exe"]),
            appends_to_dotted: false,
            system_directories: true,
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// libuv: the name if it has a dot, then `.com` and `.exe`, and with `batch` also `.bat` and `.cmd`.
    /// `exact` is its flag for exact names: the bare name first, where the name has a directory.
    pub fn libuv(batch: bool, exact: bool) -> Policy {
        let extensions: &[&str] =
            if batch { &[".com", ".exe", ".bat", ".cmd"] } else { &[".com", ".exe"] };
        Policy {
            cwd: Cwd::Auto,
            bare: if exact { Bare::WithDirectory } else { Bare::Never },
            extensions: Extensions::Only(extensions),
            starts_first_only: true,
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// Node's `child_process`: as libuv on Windows, as `execvp` elsewhere.
    pub fn node(rules: Flavor) -> Policy {
        match rules {
            Flavor::Windows => Policy::libuv(false, false),
            Flavor::Posix => Policy::execvp(),
        }
    }

    /// Go's `exec.LookPath`: what is found by a relative path is an error, items of `PATHEXT` get a dot,
    /// and nothing is searched without `PATH`.
    pub fn go(rules: Flavor) -> Policy {
        Policy {
            cwd: Cwd::Report,
            completes_extensions: true,
            default_path: false,
            empty_path_is_entry: false,
            starts_first_only: true,
            ..Policy::safe(rules)
        }
    }

    /// `CPython`'s `shutil.which` since 3.12: the name as it is only with an extension of the list, and
    /// empty entries are the working directory. An empty `PATH` has none.
    pub fn cpython(rules: Flavor) -> Policy {
        Policy {
            cwd: Cwd::Auto,
            literal: Literal::Listed,
            extensions: Extensions::Environment(CMD_EXTENSIONS),
            empty_is_cwd: true,
            quotes: false,
            empty_path_is_entry: false,
            starts_first_only: true,
            ..Policy::safe(rules)
        }
    }

    /// Zig's `std.process`: on Windows the working directory always, the name as it is first, and of
    /// `PATHEXT` what it can launch; elsewhere as `execvp`, with empty entries passed over.
    pub fn zig(rules: Flavor) -> Policy {
        match rules {
            Flavor::Windows => Policy {
                cwd: Cwd::Always,
                bare: Bare::First,
                extensions: Extensions::Among(EXTENSIONS),
                quotes: false,
                reports_cwd_only: true,
                ..Policy::safe(rules)
            },
            Flavor::Posix => Policy { cwd: Cwd::Never, ..Policy::execvp() },
        }
    }

    /// `execvp` of the C library: empty entries are the working directory; faults end the search.
    pub fn execvp() -> Policy {
        Policy {
            cwd: Cwd::Auto,
            denied_if_unsearchable: true,
            stops_at_faults: true,
            ..Policy::safe(Flavor::Posix)
        }
    }

    /// The shell's command search of POSIX (XCU 2.9.1.4): as `execvp`, and no fault ends it.
    pub fn posix_sh() -> Policy {
        Policy { stops_at_faults: false, ..Policy::execvp() }
    }

    /// The preset of that name, of [`Policy::NAMES`]; of one that has rules for either system, those for
    /// the system that it runs on.
    pub fn named(name: &str) -> Option<Policy> {
        Policy::named_by(name, Flavor::NATIVE)
    }

    /// The preset of that name, of [`Policy::NAMES`]; of one that has rules for either system, these.
    pub fn named_by(name: &str, rules: Flavor) -> Option<Policy> {
        Some(match name {
            "node" => Policy::node(rules),
            "go" => Policy::go(rules),
            "cpython" => Policy::cpython(rules),
            "zig" => Policy::zig(rules),
            "cmd" => Policy::cmd(),
            "powershell" => Policy::powershell(),
            "createprocess" => Policy::createprocess(),
            "posix_sh" => Policy::posix_sh(),
            "execvp" => Policy::execvp(),
            "libuv" => Policy::libuv(false, false),
            "libuv-batch" => Policy::libuv(true, false),
            "libuv-exact" => Policy::libuv(false, true),
            _ => return None,
        })
    }

    /// Whether the search goes on with the next candidate after one could not be started.
    ///
    /// On Windows a corrupt image ends it, as in cmd.exe, and a file without an extension that is no image
    /// does not; on POSIX only what `execvp` passes over lets it go on.
    pub fn continues_after(&self, failure: LaunchFailure, program: Program) -> bool {
        match (failure, self.rules) {
            _ if self.starts_first_only => false,
            (LaunchFailure::NotFound | LaunchFailure::Denied, _) => true,
            (LaunchFailure::BadImage, Flavor::Windows) => {
                !(self.stops_at_bad_image && program == Program::Image)
            }
            _ => false,
        }
    }
}
