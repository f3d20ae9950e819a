//! The Debian 13 root: a folder with Debian's own Rust, the oldest that curt supports, and its
//! library source, from which the standard library of other targets can be type-checked.
//!
//! It is made once and reused. Its folder is `$CURT_DEBIAN_ROOT`, or `curt/debian-13` in the
//! user's cache folder; beside it lie `.lock`, `.partial` while it is being made, and `.build`
//! with Cargo's home and target folders, which survive a new root.
//!
//! Every mount is made in a private mount namespace that ends with the command: nothing stays
//! mounted on the host, so deleting the folder can never reach the checkout or `/dev`.

use crate::host::{self, Failure, Outcome};
use crate::say;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Raise this when a root made by an older script can no longer be used; it is then made again.
const VERSION: &str = "1";

/// Packages that are installed together, when a task first needs them.
#[derive(Clone, Copy)]
pub(crate) struct Set {
    name: &'static str,
    packages: &'static [&'static str],
}

/// Those that `in-root --with` can name.
const SETS: [Set; 7] = [LINUX, WINDOWS, PACKAGES, PYTHON, NODE, EMULATOR, GNU];

/// What builds and tests Linux, and type-checks almost everything else.
pub(crate) const LINUX: Set = Set {
    name: "linux",
    packages: &["ca-certificates", "cargo", "gcc", "libc6-dev", "rust-src", "rustc", "strace"],
};

/// What type-checking for x86-64 Windows (GNU) wants besides: rustc has `dlltool` make the import
/// libraries of functions that the source links by name, even where nothing is linked.
pub(crate) const IMPORTS: Set = Set { name: "imports", packages: &["binutils-mingw-w64-x86-64"] };

/// What builds for Windows (GNU) and runs what was built.
pub(crate) const WINDOWS: Set =
    Set { name: "windows", packages: &["gcc-mingw-w64-x86-64-win32", "wine", "wine64"] };

/// What packages are judged by, and their manual pages read with.
const PACKAGES: Set = Set { name: "packages", packages: &["lintian", "man-db"] };

/// What installs packages for Python.
const PYTHON: Set = Set { name: "python", packages: &["python3-venv"] };

/// The libraries that Node's own builds want.
const NODE: Set = Set { name: "node", packages: &["libatomic1", "libstdc++6"] };

/// What runs programs for other processors.
const EMULATOR: Set = Set { name: "emulator", packages: &["qemu-user"] };

/// What builds GNU's test suite for rm and others, and what its tests use.
pub(crate) const GNU: Set = Set {
    name: "gnu",
    packages: &[
        "acl",
        "attr",
        "e2fsprogs",
        "libacl1-dev",
        "libattr1-dev",
        "libcap-dev",
        "libcap2-bin",
        "make",
        "perl",
        "python-is-python3",
        "xz-utils",
    ],
};

/// Programs the host must have.
const TOOLS: &[&str] = &["chroot", "debootstrap", "flock", "mount", "unshare"];

/// Makes the root if it is not there or too old, and installs one package set into it.
/// Arguments: root, version, name of the set, packages.
const MAKE: &str = r#"
root=$1 version=$2 set=$3
shift 3
stamps=$root/var/lib/curt
if [ "$(cat "$stamps/version" 2>/dev/null || :)" != "$version" ]; then
    if [ -n "$(ls -A "$root" 2>/dev/null || :)" ] && [ ! -e "$stamps/version" ]; then
        echo "$root holds something else: it is not deleted; choose another CURT_DEBIAN_ROOT"
        exit 1
    fi
    rm -rf --one-file-system "$root.partial"
    if ! debootstrap --variant=minbase --include=ca-certificates trixie "$root.partial"; then
        tail -n 20 "$root.partial/debootstrap/debootstrap.log" || :
        exit 1
    fi
    mkdir -p "$root.partial/var/lib/curt"
    echo "$version" >"$root.partial/var/lib/curt/version"
    rm -rf --one-file-system "$root"
    mv "$root.partial" "$root"
fi
if [ "$(cat "$stamps/$set" 2>/dev/null || :)" != "$*" ]; then
    rm -f "$stamps/$set"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    # How the host reaches its packages (proxies, checks): yes. Its hooks: no.
    for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
        if [ -f "$file" ] && grep -q 'Acquire' "$file"; then
            cp -L "$file" "$root/etc/apt/apt.conf.d/"
        fi
    done
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    export DEBIAN_FRONTEND=noninteractive
    chroot "$root" apt-get -qq update
    # Some of the host's settings copied above belong to packages, too: they stay as they are.
    chroot "$root" apt-get -qq -o Dpkg::Options::=--force-confold \
        install -y --no-install-recommends "$@"
    chroot "$root" apt-get clean
    echo "$*" >"$stamps/$set"
fi
"#;

/// Runs a command in the root. Arguments: root, build folder, checkout, Cargo home, paths of the
/// host and where the root has them, `--`, command.
const ENTER: &str = r#"
root=$1 build=$2 checkout=$3 home=$4
shift 4
onto() { # the host's file or folder, if there is one, onto a path in the root
    if [ -f "$1" ]; then
        mkdir -p "${2%/*}"
        [ -e "$2" ] || : >"$2"
    elif [ -d "$1" ]; then
        mkdir -p "$2"
    else
        return 0
    fi
    mount --bind "$1" "$2"
}
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
# The checkout at its own path, so that messages can be followed; nothing may write there.
onto "$checkout" "$root$checkout"
mount -o remount,bind,ro "$root$checkout"
onto "$build" "$root/build"
# What the host has downloaded already, with the locks that guard it.
onto "$home/registry" "$root/build/cargo/registry"
onto "$home/.package-cache" "$root/build/cargo/.package-cache"
onto "$home/.package-cache-mutate" "$root/build/cargo/.package-cache-mutate"
[ ! -L "$root/etc/resolv.conf" ] || rm "$root/etc/resolv.conf"
onto /etc/resolv.conf "$root/etc/resolv.conf"
onto /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
while [ "$1" != -- ]; do
    onto "$1" "$root$2"
    mount -o remount,bind,ro "$root$2"
    shift 2
done
shift
exec chroot "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$checkout" "$@"
"#;

/// What a command in the root may see of the caller's environment.
const PASSED: &[&str] = &[
    "CI",
    "TERM",
    "NO_COLOR",
    "CARGO_TERM_COLOR",
    "RUST_BACKTRACE",
    "CARGO_BUILD_JOBS",
    "CARGO_NET_OFFLINE",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    // How much tests do.
    "CURT_FILES",
    "CURT_FUZZ",
    "CURT_PATHS",
    "CURT_RACES",
    "CURT_ROUNDS",
    "CURT_STARTS",
];

/// The task `debian-root`.
pub(crate) fn make(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("debian-root takes no arguments"));
    }
    let root = Root::with(&[&LINUX, &WINDOWS])?;
    say::out(root.folder.display());
    Ok(())
}

/// The task `in-root`: its exit status is that of the command.
pub(crate) fn enter(arguments: &[String]) -> Outcome {
    let usage = || {
        let names = SETS.map(|set| set.name).join(", ");
        Failure::usage(format!(
            "in-root [--with SET,…] [--show PATH AT]… -- COMMAND…; the sets of packages: {names}"
        ))
    };
    let (mut sets, mut shown, mut rest) = (vec![LINUX, WINDOWS], Vec::new(), arguments);
    let command = loop {
        match rest {
            [dashes, command @ ..] if dashes == "--" && !command.is_empty() => break command,
            [with, names, more @ ..] if with == "--with" => {
                let set = |name: &str| SETS.into_iter().find(|set| set.name == name);
                sets = names.split(',').map(set).collect::<Option<_>>().ok_or_else(usage)?;
                rest = more;
            }
            [show, path, at, more @ ..] if show == "--show" => {
                shown.extend([path, at].map(PathBuf::from));
                rest = more;
            }
            _ => return Err(usage()),
        }
    };
    let mut root = Root::with(&sets.iter().collect::<Vec<_>>())?;
    root.shown = shown;
    host::pass_on(&mut root.command(command)?)
}

/// A root that is ready for use.
pub(crate) struct Root {
    folder: PathBuf,
    /// Paths of the host, and where commands find them in the root, without writing there. Of a path
    /// in `/tmp` nothing stays in the root.
    shown: Vec<PathBuf>,
}

impl Root {
    /// The root with these package sets in it; made or updated where needed.
    pub(crate) fn with(sets: &[&Set]) -> Result<Self, Failure> {
        let mut lacking = Vec::new();
        if host::output_of("id", &["-u"]).as_deref().map(str::trim) != Some("0") {
            lacking.push("the rights of root (run it with sudo)".to_owned());
        }
        lacking.extend(TOOLS.iter().filter(|tool| !host::has(tool)).map(|tool| {
            format!("the program '{tool}' (packages: debootstrap, util-linux, mount, coreutils)")
        }));
        let root = Self { folder: folder()?, shown: Vec::new() };
        if !lacking.is_empty() {
            return Err(Failure::missing(format!(
                "the Debian root cannot be used here. Missing: {}",
                lacking.join("; ")
            )));
        }
        for set in sets {
            root.install(set)?;
        }
        Ok(root)
    }

    /// Installs a package set, unless the stamps say that it is there.
    fn install(&self, set: &Set) -> Outcome {
        let stamp = |name: &str| {
            let text = fs::read_to_string(self.folder.join("var/lib/curt").join(name));
            text.unwrap_or_default().trim_end().to_owned()
        };
        if stamp("version") == VERSION && stamp(set.name) == set.packages.join(" ") {
            return Ok(());
        }
        let shown = self.folder.display();
        say::err(format_args!("Debian root: preparing '{}' in {shown}", set.name));
        if let Some(parent) = self.folder.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut command = Command::new("flock");
        command.arg("-o").arg(self.beside("lock"));
        command.args(["unshare", "--mount", "sh", "-euc", MAKE, "sh"]);
        command.arg(&self.folder).args([VERSION, set.name]).args(set.packages);
        // Progress belongs to standard error: the task's answer is the folder.
        command.stdout(std::io::stderr()).env("LC_ALL", "C.UTF-8");
        host::check(&mut command)
    }

    /// A command in the root, with the checkout as its working directory and only the environment
    /// that belongs there.
    pub(crate) fn command<A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: &[A],
    ) -> Result<Command, Failure> {
        let build = self.beside("build");
        let checkout = host::checkout();
        for folder in ["cargo", "home", "target"] {
            fs::create_dir_all(build.join(folder))?;
        }
        let mut command = Command::new("unshare");
        command.env_clear();
        for (name, value) in PASSED.iter().filter_map(|name| Some((name, env::var_os(name)?))) {
            command.env(name, value);
        }
        command.envs([
            ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            ("LANG", "C.UTF-8"),
            ("HOME", "/build/home"),
            ("CARGO_HOME", "/build/cargo"),
        ]);
        command.env("CARGO_TARGET_DIR", format!("/build/target/{}", label(&checkout)));
        command.args(["--mount", "sh", "-euc", ENTER, "sh"]);
        command.arg(&self.folder).arg(build).arg(&checkout).arg(cargo_home());
        command.args(&self.shown).arg("--").args(arguments);
        Ok(command)
    }

    /// A file or folder beside the root: its name with an ending.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = OsString::from(&self.folder);
        path.push(".");
        path.push(ending);
        path.into()
    }
}

/// Where the root is, or will be.
fn folder() -> Result<PathBuf, Failure> {
    let folder = match env::var_os("CURT_DEBIAN_ROOT").filter(|value| !value.is_empty()) {
        Some(folder) => folder.into(),
        None => host::cache()?.join("debian-13"),
    };
    if !folder.is_absolute() || folder.parent().is_none() {
        let shown = folder.display();
        return Err(Failure::usage(format!("not an absolute path for the root: '{shown}'")));
    }
    Ok(folder)
}

/// A folder of this checkout for what is kept between runs: its path, and its path in the root.
pub(crate) fn kept(kind: &str) -> Result<(PathBuf, PathBuf), Failure> {
    let root = Root { folder: folder()?, shown: Vec::new() };
    let path = Path::new(kind).join(label(&host::checkout()));
    Ok((root.beside("build").join(&path), Path::new("/build").join(path)))
}

/// A folder that all checkouts share for what is kept between runs: its path, and its path in the
/// root.
pub(crate) fn shared(name: &str) -> Result<(PathBuf, PathBuf), Failure> {
    let root = Root { folder: folder()?, shown: Vec::new() };
    Ok((root.beside("build").join(name), Path::new("/build").join(name)))
}

/// The host's Cargo home, whose downloads the root shares.
fn cargo_home() -> PathBuf {
    env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo"),
        PathBuf::from,
    )
}

/// A checkout's name for its target folder: two checkouts must not share one, because Cargo trusts
/// time stamps.
fn label(checkout: &Path) -> String {
    let text = checkout.to_string_lossy();
    text.trim_matches('/').replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_root_lie_beside_it() {
        let root = Root { folder: "/cache/curt/debian-13".into(), shown: Vec::new() };
        assert_eq!(root.beside("lock"), Path::new("/cache/curt/debian-13.lock"));
    }

    #[test]
    fn each_checkout_has_its_own_target_folder() {
        assert_eq!(label(Path::new("/src/curt")), "src-curt");
        assert_ne!(label(Path::new("/src/curt")), label(Path::new("/src/curt2")));
    }

    #[test]
    fn packages_are_in_order_so_that_a_stamp_changes_only_with_them() {
        assert!(LINUX.packages.is_sorted());
        assert!(WINDOWS.packages.is_sorted());
        assert!(GNU.packages.is_sorted());
    }
}
