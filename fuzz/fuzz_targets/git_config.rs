//! Compares with git the settings in a configuration file, and the values of `core.excludesFile`
//! and `core.ignoreCase`. The byte 0x1e separates the file, `GIT_CONFIG_PARAMETERS`, and the key
//! and value of `GIT_CONFIG_COUNT=1`.
#![no_main]

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use curt::walk::fuzzing;
use libfuzzer_sys::fuzz_target;

fn set(name: &str, value: &OsStr) {
    // SAFETY: the process is single-threaded.
    unsafe { env::set_var(name, value) }
}

fn place() -> Option<PathBuf> {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("skipped: git is not installed");
        return None;
    }
    for (name, _) in env::vars_os() {
        if name.as_bytes().starts_with(b"GIT_") || name.as_bytes().starts_with(b"XDG_") {
            // SAFETY: the process is single-threaded.
            unsafe { env::remove_var(name) }
        }
    }
    let place = env::temp_dir().join(format!("curt-fuzz-git-{}", std::process::id()));
    set("HOME", place.as_os_str());
    set("GIT_CONFIG_NOSYSTEM", "1".as_ref());
    set("GIT_CONFIG_GLOBAL", place.join("config").as_os_str());
    set("GIT_CEILING_DIRECTORIES", env::temp_dir().as_os_str());
    // Disable tracing: a configuration could name a trace file for git to write.
    for trace in ["GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF"] {
        set(trace, "0".as_ref());
    }
    Some(place)
}

/// Returns `None` if git refuses the configuration.
fn git(place: &PathBuf, query: &[&str], file_only: bool) -> Option<Vec<u8>> {
    let mut git = Command::new("git");
    git.args(["config", "-z"]).args(query).current_dir(place).stdin(Stdio::null());
    if file_only {
        git.args(["--no-includes", "-f", "config"]).env("GIT_CONFIG_GLOBAL", "/dev/null");
        git.env_remove("GIT_CONFIG_PARAMETERS").env_remove("GIT_CONFIG_COUNT");
    }
    let output = git.output().expect("git can be run");
    matches!(output.status.code(), Some(0 | 1)).then_some(output.stdout)
}

fuzz_target!(|data: &[u8]| {
    static PLACE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let Some(place) = PLACE.get_or_init(place) else { return };
    let mut parts = data.splitn(4, |&byte| byte == 0x1e);
    let text = parts.next().unwrap_or_default();
    let variables: Vec<_> = parts.map(OsStr::from_bytes).collect();
    // Skip includes of devices: git reads devices, and curt does not.
    let is_device = |part: &[u8]| part.starts_with(b"/dev") || part.starts_with(b"/proc");
    if data.windows(5).any(is_device) || variables.iter().any(|it| it.as_bytes().contains(&0)) {
        return;
    }
    let variable = |index| variables.get(index).copied().unwrap_or_default();
    set("GIT_CONFIG_PARAMETERS", variable(0));
    set("GIT_CONFIG_COUNT", if variables.len() > 1 { "1" } else { "0" }.as_ref());
    set("GIT_CONFIG_KEY_0", variable(1));
    set("GIT_CONFIG_VALUE_0", variable(2));
    fs::create_dir_all(place).expect("it can be made");
    fs::write(place.join("config"), text).expect("it can be written");
    fs::write(place.join("one"), "[core]ignoreCase\nexcludesFile=one").expect("it can be written");

    let ours = fuzzing::settings(text).map(|settings| {
        let all = settings.into_iter().flat_map(|(name, value)| {
            [name, value.map_or(Vec::new(), |value| [b"\n", &*value].concat()), b"\0".into()]
        });
        all.flatten().collect::<Vec<_>>()
    });
    // Before version 2.45, git replaces tabs and carriage returns within a value.
    let spaced = |mut text: Vec<u8>| {
        text.iter_mut().filter(|byte| b"\t\r".contains(byte)).for_each(|byte| *byte = b' ');
        text
    };
    let show = |text: Vec<u8>| spaced(text).escape_ascii().to_string();
    let theirs = git(place, &["--list"], true);
    assert_eq!(ours.clone().map(show), theirs.map(show), "all settings");
    let Some(ours) = ours else { return };
    let is_read = |part: &[u8]| part == b"core." || part == b"inclu";
    if !variables.is_empty() || ours.windows(5).any(is_read) {
        let last = |query: &str, name| {
            let mut all = git(place, &[query, "--get-all", name], false)?;
            all.pop();
            Some(all.split(|&byte| byte == 0).next_back().unwrap_or_default().to_vec())
        };
        let path = last("--type=path", "core.excludesFile");
        let theirs = path.zip(last("--type=bool", "core.ignoreCase").map(|case| case == b"true"));
        // git keeps repeated slashes after `~`, so merge them.
        let plain = |(mut path, case): (Vec<u8>, bool)| {
            path.dedup_by(|byte, before| *byte == b'/' && *before == b'/');
            let is_home = path.strip_suffix(b"/") == Some(place.as_os_str().as_bytes());
            path.truncate(path.len() - usize::from(is_home));
            (OsString::from_vec(spaced(path)), case)
        };
        let ours = fuzzing::values();
        let ours =
            ours.map(|(path, case)| (path.unwrap_or_default().into_os_string().into_vec(), case));
        let [ours, theirs] = [ours, theirs].map(|it| it.map(plain));
        assert_eq!(ours, theirs, "values");
    }
    fs::remove_dir_all(place).expect("it can be removed");
});
