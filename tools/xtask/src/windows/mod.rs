//! Builds for Windows on Linux, and runs the result under Wine.
//!
//! Uses the host's Rust target, mingw and Wine 10, or else the Debian root, whose compiler also
//! builds the target's standard library. All files are in `debian-root/windows` in the target
//! directory.
//!
//! Under Wine, C: is a directory in `debian-root/windows`, S: the checkout, and T: the directory
//! for temporary files. No drive has the whole machine, so a faulty removal destroys only
//! replaceable files.

pub(crate) mod calls;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod test;

use crate::debian_root;
use crate::host::{self, Failure};
use crate::say;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const TARGET: &str = "x86_64-pc-windows-gnu";

const SETS: &str = "linux,windows";

const LINKER: &str = "x86_64-w64-mingw32-gcc";

const OLDEST_WINE: u32 = 10;

/// Makes two startup objects that `-Zbuild-std` does not build. The linker puts one first and one
/// last.
const RUNTIME: &str = r#"
mkdir -p "$1"
for name in rsbegin rsend; do
    [ ! -e "$1/$name.o" ] || continue
    rustc --target x86_64-pc-windows-gnu --crate-type lib --emit obj -o "$1/$name.o" \
        "$(rustc --print sysroot)/lib/rustlib/src/rust/library/rtstartup/$name.rs"
done
"#;

/// Runs a command with a single Wine server for all its programs. Creates the Wine prefix on first
/// use. Arguments: directory, checkout, command.
const SESSION: &str = r#"
folder=$1 checkout=$2
shift 2
mkdir -p "$folder/home" "$WINEPREFIX"
exec 9>"$folder/lock"
flock 9
# The server outlives pauses between programs, such as a build: one that is just ending resets the
# connection of the next program. Among its own processes it dies with this shell; elsewhere, should
# this shell be killed, it ends an hour after its last program.
if [ -n "${CURT_OWN_MOUNTS:-}" ]; then wineserver -p 9>&-; else wineserver -p3600 9>&-; fi
trap 'wineserver -k 9>&- || :' EXIT
trap 'exit 130' HUP INT TERM
if [ ! -e "$WINEPREFIX/ready" ]; then
    HOME=$folder/home wineboot --init >/dev/null 9>&-
    rm -f "$WINEPREFIX/dosdevices/z:"
    : >"$WINEPREFIX/ready"
fi
# The checkout may have been moved.
ln -sfn "$checkout" "$WINEPREFIX/dosdevices/s:"
ln -sfn "$folder" "$WINEPREFIX/dosdevices/t:"
if [ -n "${CURT_OWN_MOUNTS:-}" ]; then
    # Temporary files need no disk: the tests take three quarters of the time.
    for folder in "$WINEPREFIX"/drive_c/users/*/AppData/Local/Temp; do
        mount -t tmpfs tmp "$folder"
    done
fi
"$@" 9>&-
"#;

/// Runs a program under Wine, and once more if Wine itself crashed, which its client reports with a
/// distinctive message.
const RUNNER: &str = r#"
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
status=0
wine "$@" 2>"$messages" || status=$?
cat "$messages" >&2
if [ "$status" -ne 0 ] && grep -q '^wine client error:' "$messages"; then
    echo "Wine itself fell over (status $status); once again: $*" >&2
    status=0
    wine "$@" || status=$?
fi
exit "$status"
"#;

pub(crate) struct Windows {
    /// Whether to use the Debian root, because the host lacks a tool.
    in_root: bool,
    folder: PathBuf,
    inside: PathBuf,
}

impl Windows {
    pub(crate) fn ready() -> Result<Self, Failure> {
        let (folder, inside) = debian_root::kept("windows");
        let lacking = lacking_on_host();
        let in_root = !lacking.is_empty();
        if in_root {
            debian_root::prepare(SETS).map_err(|failure| Failure {
                text: format!(
                    "{}\nWithout the root, Windows programs need what is missing here: {}",
                    failure.text,
                    lacking.join("; ")
                ),
                ..failure
            })?;
        }
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("runner"), RUNNER)?;
        let inside = if in_root { inside } else { folder.clone() };
        let windows = Self { in_root, folder, inside };
        if in_root {
            let objects = windows.inside("runtime");
            let arguments = ["sh", "-euc", RUNTIME, "sh"].map(OsStr::new);
            let make = [&arguments[..], &[objects.as_os_str()]].concat();
            host::check(&mut windows.command(&make))?;
        }
        Ok(windows)
    }

    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    pub(crate) fn inside(&self, path: &str) -> PathBuf {
        self.inside.join(path)
    }

    pub(crate) fn on_drive_c(name: &str) -> String {
        format!("prefix/drive_c/{name}")
    }

    pub(crate) fn cargo(&self, arguments: &[&str]) -> Vec<String> {
        let own = (!self.in_root).then(|| env::var("CARGO").ok()).flatten();
        let mut all = vec![own.unwrap_or_else(|| "cargo".to_owned())];
        let (verb, rest) = arguments.split_first().unwrap_or((&"build", &[]));
        all.extend([*verb, "--locked", "--target", TARGET].map(str::to_owned));
        if self.in_root {
            all.push("-Zbuild-std=std,panic_unwind,test,proc_macro".to_owned());
        }
        all.extend(rest.iter().map(ToString::to_string));
        all
    }

    pub(crate) fn curt(&self) -> Result<PathBuf, Failure> {
        let build = ["build", "--quiet", "--package", "curt", "--package", "curt-cli"];
        let arguments = self.cargo(&[&build[..], &["--bin", "curt"]].concat());
        host::check(&mut self.command(&arguments))?;
        Ok(self.inside(&format!("target/{TARGET}/debug/curt.exe")))
    }

    pub(crate) fn packaged(&self) -> Result<PathBuf, Failure> {
        let build = ["build", "--quiet", "--profile", "dist", "--package", "curt-cli"];
        let mut arguments = self.cargo(&build);
        // This profile aborts on panic, so build `panic_abort` with the standard library.
        let library = arguments.iter_mut().find(|argument| argument.starts_with("-Zbuild-std="));
        if let Some(library) = library {
            "-Zbuild-std=std,panic_abort".clone_into(library);
        }
        host::check(&mut self.command(&arguments))?;
        Ok(self.outside(&format!("target/{TARGET}/dist/curt.exe")))
    }

    pub(crate) fn library(&self) -> Result<PathBuf, Failure> {
        let arguments = self.cargo(&["build", "--quiet", "--package", "curt-capi"]);
        host::check(&mut self.command(&arguments))?;
        Ok(self.inside(&format!("target/{TARGET}/debug")))
    }

    pub(crate) fn session<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let checkout = host::checkout();
        let mut all: Vec<&OsStr> = Vec::new();
        if self.in_root {
            // Put all processes in a PID namespace, so that they die with the shell.
            let alone = [
                "unshare",
                "--propagation=unchanged",
                "--mount-proc",
                "--fork",
                "--kill-child",
                "--pid",
            ];
            all.extend(alone.map(OsStr::new));
        }
        all.extend(["sh", "-euc", SESSION, "sh"].map(OsStr::new));
        all.extend([self.inside.as_os_str(), checkout.as_os_str()]);
        all.extend(arguments.iter().map(AsRef::as_ref));
        if !self.outside("prefix/ready").exists() {
            say::err("Windows: preparing Wine");
        }
        self.command(&all)
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut all: Vec<OsString> = vec!["env".into()];
        let mut set = |name: &str, value: &OsStr| {
            let mut word = OsString::from(format!("{name}="));
            word.push(value);
            all.push(word);
        };
        if self.in_root {
            let objects = format!("-Lnative={}", self.inside("runtime").display());
            // Let Debian's stable compiler accept `-Zbuild-std`.
            set("RUSTC_BOOTSTRAP", "1".as_ref());
            set("XDG_RUNTIME_DIR", "/tmp".as_ref());
            set("CURT_OWN_MOUNTS", "1".as_ref());
            set("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS", objects.as_ref());
        }
        let runner = format!("sh -eu {}", self.inside("runner").display());
        set("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", runner.as_ref());
        set("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", LINKER.as_ref());
        set("CARGO_TARGET_DIR", self.inside("target").as_ref());
        set("WINEPREFIX", self.inside("prefix").as_ref());
        set("WINEARCH", "win64".as_ref());
        set("WINEDEBUG", "-all".as_ref());
        // Prevent Wine from offering to download Mono and Gecko.
        set("WINEDLLOVERRIDES", "mscoree,mshtml=".as_ref());
        all.extend(arguments.iter().map(|word| word.as_ref().to_owned()));
        if self.in_root {
            return debian_root::command(SETS, &all);
        }
        let mut command = Command::new("env");
        command.args(&all[1..]).current_dir(host::checkout());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }
}

fn lacking_on_host() -> Vec<String> {
    let mut lacking = Vec::new();
    let installed = host::output_of("rustup", &["target", "list", "--installed"]);
    if !installed.unwrap_or_default().lines().any(|line| line.trim() == TARGET) {
        lacking.push(format!("the Rust target (rustup target add {TARGET})"));
    }
    if !host::has(LINKER) {
        lacking.push(format!("the program '{LINKER}' (package: gcc-mingw-w64-x86-64)"));
    }
    let wine = host::output_of("wine", &["--version"]).and_then(|text| wine_version(&text));
    if wine.is_none_or(|version| version < OLDEST_WINE) || !host::has("wineserver") {
        lacking.push(format!("Wine {OLDEST_WINE} or newer"));
    }
    lacking
}

fn wine_version(text: &str) -> Option<u32> {
    let number = text.trim().strip_prefix("wine-")?;
    number.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn with(in_root: bool) -> Windows {
        Windows { in_root, folder: "/cache/curt".into(), inside: "/build".into() }
    }

    #[test]
    fn versions_of_wine_are_read() {
        assert_eq!(wine_version("wine-10.0 (Debian 10.0~repack-6)\n"), Some(10));
        assert_eq!(wine_version("wine-8.0.2"), Some(8));
        assert_eq!(wine_version("sh: not found"), None);
    }

    #[test]
    fn one_folder_has_two_names() {
        let windows = with(false);
        let path = Windows::on_drive_c("x");
        assert_eq!(windows.outside(&path), Path::new("/cache/curt/prefix/drive_c/x"));
        assert_eq!(windows.inside(&path), Path::new("/build/prefix/drive_c/x"));
    }

    #[test]
    fn the_library_is_built_only_where_none_is_installed() {
        let arguments = with(false).cargo(&["test", "--workspace"]);
        assert_eq!(arguments[1..], ["test", "--locked", "--target", TARGET, "--workspace"]);
    }
}
