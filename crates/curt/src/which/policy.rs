//! The rules of a search: one value, with a preset for each authority.
//!
//! # Extensions
//!
//! [`LAUNCHABLE`] says how a file is launched. `.com` and `.exe` are images and `.bat` and `.cmd`
//! batch files, by Microsoft's page on `CreateProcessW` ("Parameters", `lpApplicationName`, and the
//! remark on batch files). Files with any other extension are started by the program registered for
//! it (`ShellExecute`), as cmd.exe does. If `PATHEXT` is not set, the default is the list of
//! cmd.exe ([`CMD_EXTENSIONS`], also in `CPython`'s `shutil`) or that of curt ([`EXTENSIONS`]: what
//! can be launched without an association).

use std::borrow::Cow;

use curt_paths::{Flavor, Unit};

/// The extensions that are launched without an association, and how.
pub(super) const LAUNCHABLE: [(&str, Program); 4] = [
    (".com", Program::Image),
    (".exe", Program::Image),
    (".bat", Program::Batch),
    (".cmd", Program::Batch),
];

/// The default of `PATHEXT`, in the order of cmd.exe.
pub(super) const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// The default of `PATHEXT` of cmd.exe.
pub(super) const CMD_EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD;.VBS;.JS;.WS;.MSC";

/// The kind of a program, which decides how it is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Program {
    /// A file that may be executed. Its contents were not read, so it may be an image or a script.
    /// By Windows' rules: a file without an extension, which may be anything.
    #[default]
    Executable,
    /// An image that the system runs itself.
    Image,
    /// A batch file, run by cmd.exe.
    Batch,
    /// A text file that begins with `#!` and the path of its interpreter.
    Script,
    /// A file that is started by the program registered for its extension.
    Association,
}

impl Program {
    /// Returns one word: `executable`, `image`, `batch`, `script` or `association`.
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

/// How a file with this extension is started. An extension matches as a whole, in any case of
/// letters.
pub(super) fn program_of<U: Unit>(extension: &[U]) -> Program {
    // Without an allocation, as every hit asks.
    let is_it = |known: &str| {
        let mut pairs = known.bytes().zip(extension);
        known.len() == extension.len()
            && pairs.all(|(known, &unit)| U::same_in_any_case(&[U::ascii(known)], &[unit]))
    };
    let known = LAUNCHABLE.iter().find(|(known, _)| is_it(known));
    known.map_or(Program::Association, |&(_, program)| program)
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bare {
    /// It is not.
    Never,
    /// It is tried before the names with extensions.
    First,
    /// It is tried before the names with extensions if it contains a directory, else not.
    WithDirectory,
    /// It is tried after the names with extensions.
    Last,
}

/// When a name that has an extension is searched for as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Literal {
    /// Always, whatever its extension.
    Dotted,
    /// Only if its extension is one of those that are appended.
    Listed,
}

/// Which extensions are appended. A list is a text in the form of `PATHEXT`, fixed or read from a
/// configuration.
///
/// ```
/// use curt::which::{Extensions, Policy};
/// let configured = [".exe", ".cmd"].join(";");
/// let policy = Policy::cmd().extensions(Extensions::Only(configured.into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extensions {
    /// Those of `PATHEXT`, or these if it is unset or empty.
    Environment(Cow<'static, str>),
    /// One extension, then those of `PATHEXT`, or these if it is unset or empty.
    Behind(Cow<'static, str>, Cow<'static, str>),
    /// Only these.
    Only(Cow<'static, str>),
    /// Those of `PATHEXT` that are among these.
    Among(Cow<'static, str>),
}

/// Why a candidate could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LaunchFailure {
    /// It or its interpreter does not exist (`ENOENT`, `ERROR_FILE_NOT_FOUND`,
    /// `ERROR_PATH_NOT_FOUND`).
    NotFound,
    /// It may not be executed (`EACCES`, `ERROR_ACCESS_DENIED`).
    Denied,
    /// It is an image by its name but not by its contents (`ERROR_BAD_EXE_FORMAT` and others).
    BadImage,
    /// The system does not know its format (`ENOEXEC`).
    BadFormat,
    /// It is open for writing (`ETXTBSY`).
    Busy,
    /// Any other failure: a link loop, a name or arguments that are too long, no memory.
    Other,
}

/// The rules of a search.
///
/// A plain value: take a preset and change what should differ.
///
/// ```
/// use curt::which::{Cwd, Policy};
/// let policy = Policy::cmd().cwd(Cwd::Never).strict_extension(true);
/// assert_eq!(policy.cwd, Cwd::Never);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// How `PATH` is split, which candidates a name has, and what makes one of them a program.
    pub rules: Flavor,
    /// Whether the working directory is searched implicitly.
    pub cwd: Cwd,
    /// Windows: whether names without an extension are programs.
    pub bare: Bare,
    /// Windows: when a name that has an extension is searched for as it is.
    pub literal: Literal,
    /// Windows: which extensions are appended.
    pub extensions: Extensions,
    /// Windows: whether extensions are appended to a name that has a dot.
    pub appends_to_dotted: bool,
    /// Windows: whether nothing is appended to a name that ends in one of the extensions, so that
    /// `a.exe` never means `a.exe.exe`.
    pub strict_extension: bool,
    /// Windows: whether an item of `PATHEXT` without a dot gets one. Else it is dropped.
    pub completes_extensions: bool,
    /// Windows: whether an empty entry of `PATH` is the working directory. Else it is skipped.
    pub empty_is_cwd: bool,
    /// Windows: whether a `;` between quotes in `PATH` belongs to an entry.
    pub quotes: bool,
    /// Windows: whether each candidate is probed in a directory that may not be listed. Else the
    /// directory is skipped.
    pub probes_unlistable: bool,
    /// Windows: whether the directories of the system are searched before `PATH`.
    pub system_directories: bool,
    /// POSIX: whether an unset `PATH` stands for the default of the system. Else nothing is
    /// searched.
    pub default_path: bool,
    /// POSIX: whether an empty `PATH` is one empty entry. Else nothing is searched.
    pub empty_path_is_entry: bool,
    /// POSIX: whether a name that is not found is a permission error if one of the directories may
    /// not be searched.
    pub denied_if_unsearchable: bool,
    /// POSIX: whether a link loop, or a path that is too long, ends the search.
    pub stops_at_faults: bool,
    /// Whether a candidate that is an image by its name (`.exe` or `.com`) but not by its contents
    /// ends the search. A file without an extension that is not an image is skipped in any case.
    pub stops_at_bad_image: bool,
    /// Whether only the first candidate is started. Else the next one is if it no longer exists or
    /// access to it is denied.
    pub starts_first_only: bool,
    /// Windows: whether a candidate of `PATH` that could not be started counts as not found, so
    /// that the error is that of the working directory.
    pub reports_cwd_only: bool,
}

/// Defines a method for each rule, which returns the policy with that rule changed.
macro_rules! setters {
    ($($rule:ident: $type:ty,)*) => {
        impl Policy {
            $(
                #[doc = concat!("Returns these rules with another `", stringify!($rule), "`: see")]
                #[doc = concat!("[the rule](Policy#structfield.", stringify!($rule), ").")]
                #[must_use]
                pub fn $rule(mut self, $rule: $type) -> Policy {
                    self.$rule = $rule;
                    self
                }
            )*
        }
    };
}

setters! {
    cwd: Cwd,
    bare: Bare,
    literal: Literal,
    extensions: Extensions,
    appends_to_dotted: bool,
    strict_extension: bool,
    completes_extensions: bool,
    empty_is_cwd: bool,
    quotes: bool,
    probes_unlistable: bool,
    system_directories: bool,
    default_path: bool,
    empty_path_is_entry: bool,
    denied_if_unsearchable: bool,
    stops_at_faults: bool,
    stops_at_bad_image: bool,
    starts_first_only: bool,
    reports_cwd_only: bool,
}

impl Default for Policy {
    /// Returns curt's own rules for the system it runs on.
    fn default() -> Policy {
        Policy::safe(Flavor::NATIVE)
    }
}

impl Policy {
    /// The names of the presets, as [`Policy::named`] takes them.
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

    /// curt's own rules: those of cmd.exe or `execvp`, but nothing is searched implicitly, and a
    /// directory that may not be listed or searched hides nothing and is reported.
    pub fn safe(rules: Flavor) -> Policy {
        Policy {
            rules,
            cwd: Cwd::Never,
            bare: Bare::Never,
            literal: Literal::Dotted,
            extensions: Extensions::Environment(EXTENSIONS.into()),
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
            extensions: Extensions::Environment(CMD_EXTENSIONS.into()),
            probes_unlistable: false,
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// `PowerShell`: `PATH` alone; `.ps1` before the other extensions; the bare name last.
    pub fn powershell() -> Policy {
        Policy {
            bare: Bare::Last,
            extensions: Extensions::Behind(".PS1".into(), EXTENSIONS.into()),
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// `CreateProcessW` with a bare name: `.exe` unless the name has a dot; the working directory
    /// (unless the environment says no) and the directories of the system before `PATH`.
    pub fn createprocess() -> Policy {
        Policy {
            cwd: Cwd::Auto,
            extensions: Extensions::Only(".exe".into()),
            appends_to_dotted: false,
            system_directories: true,
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// libuv: the name if it has a dot, then `.com` and `.exe`, and with `batch` also `.bat` and
    /// `.cmd`. `exact` is its flag for exact names: the bare name first, where the name has a
    /// directory.
    pub fn libuv(batch: bool, exact: bool) -> Policy {
        let extensions = if batch { ".com;.exe;.bat;.cmd" } else { ".com;.exe" };
        Policy {
            cwd: Cwd::Auto,
            bare: if exact { Bare::WithDirectory } else { Bare::Never },
            extensions: Extensions::Only(extensions.into()),
            starts_first_only: true,
            ..Policy::safe(Flavor::Windows)
        }
    }

    /// Node's `child_process`: as libuv on Windows, as `execvp` elsewhere.
    ///
    /// ```
    /// # if cfg!(unix) {
    /// use curt::{Search, paths::Flavor, which::Policy};
    /// let search = Search::new().policy(Policy::node(Flavor::NATIVE)).path("/gone::/bin");
    /// assert_eq!(search.find("sh")?.path(), std::path::Path::new("/bin/sh"));
    /// # }
    /// # Ok::<(), curt::which::FindError>(())
    /// ```
    pub fn node(rules: Flavor) -> Policy {
        match rules {
            Flavor::Windows => Policy::libuv(false, false),
            Flavor::Posix => Policy::execvp(),
        }
    }

    /// Go's `exec.LookPath`: what is found by a relative path is an error, items of `PATHEXT` get a
    /// dot, and nothing is searched without `PATH`.
    ///
    /// ```
    /// # if cfg!(unix) {
    /// use curt::{Search, paths::Flavor, which::Policy};
    /// let search = Search::new().policy(Policy::go(Flavor::Posix)).base("/bin").path(".");
    /// assert_eq!(search.find("sh").unwrap_err().word(), "relative-result");
    /// # }
    /// ```
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

    /// `CPython`'s `shutil.which` since 3.12: the name as it is only with an extension of the list,
    /// and empty entries are the working directory. An empty `PATH` has none.
    ///
    /// ```
    /// # if cfg!(unix) {
    /// use curt::{Search, paths::Flavor, which::Policy};
    /// let search = Search::new().policy(Policy::cpython(Flavor::Posix)).base("/bin");
    /// assert!(search.clone().path(":/gone").find("sh").is_ok());
    /// assert!(search.path("").find("sh").is_err());
    /// # }
    /// ```
    pub fn cpython(rules: Flavor) -> Policy {
        Policy {
            cwd: Cwd::Auto,
            literal: Literal::Listed,
            extensions: Extensions::Environment(CMD_EXTENSIONS.into()),
            empty_is_cwd: true,
            quotes: false,
            empty_path_is_entry: false,
            starts_first_only: true,
            ..Policy::safe(rules)
        }
    }

    /// Zig's `std.process`: on Windows the working directory always, the name as it is first, and
    /// of `PATHEXT` what it can launch; elsewhere as `execvp`, with empty entries skipped.
    pub fn zig(rules: Flavor) -> Policy {
        match rules {
            Flavor::Windows => Policy {
                cwd: Cwd::Always,
                bare: Bare::First,
                extensions: Extensions::Among(EXTENSIONS.into()),
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

    /// The command search of the POSIX shell (XCU 2.9.1.4): as `execvp`, but no fault ends it.
    pub fn posix_sh() -> Policy {
        Policy { stops_at_faults: false, ..Policy::execvp() }
    }

    /// Returns the preset of this name, one of [`Policy::NAMES`]. A preset that has rules for each
    /// system has those of this one.
    pub fn named(name: &str) -> Option<Policy> {
        Policy::named_by(name, Flavor::NATIVE)
    }

    /// Returns the preset of this name, one of [`Policy::NAMES`]. A preset that has rules for each
    /// system has those that are given.
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
    /// On Windows a corrupt image ends it, as in cmd.exe, but a file without an extension that is
    /// not an image does not. On POSIX it goes on only where `execvp` does.
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
