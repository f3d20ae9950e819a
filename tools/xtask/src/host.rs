use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) type Outcome = Result<(), Failure>;

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) const MISSING: u8 = 3;

    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { code: 1, text: text.into() }
    }

    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self { code: 2, text: text.into() }
    }

    pub(crate) fn missing(text: impl Into<String>) -> Self {
        Self { code: Self::MISSING, text: text.into() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}

pub(crate) fn checkout() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.ancestors().nth(2).map_or_else(|| manifest.clone(), Path::to_path_buf)
}

pub(crate) fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").filter(|target| !target.is_empty());
    checkout().join(target.unwrap_or_else(|| "target".into()))
}

pub(crate) fn triple() -> String {
    let version = output_of("rustc", &["-vV"]).unwrap_or_default();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap_or_default().to_owned()
}

pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn made_by(command: &[&str]) -> Result<Self, Failure> {
        let path = output_of(command[0], &command[1..]).map(|path| path.trim().to_owned());
        let path = path.filter(|path| !path.is_empty());
        Ok(Self(path.ok_or_else(|| Failure::new("cannot make a temporary folder"))?.into()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn cache() -> Result<PathBuf, Failure> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    Ok(cache
        .ok_or_else(|| Failure::missing("neither XDG_CACHE_HOME nor HOME is set"))?
        .join("curt"))
}

pub(crate) fn after_dashes(arguments: &[String]) -> &[String] {
    match arguments {
        [dashes, rest @ ..] if dashes == "--" => rest,
        _ => arguments,
    }
}

pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(checkout());
    command
}

pub(crate) fn check(command: &mut Command) -> Outcome {
    let shown = shown(command);
    let status =
        command.status().map_err(|error| Failure::new(format!("cannot run '{shown}': {error}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("'{shown}' ended with {status}")))
}

/// Runs a command. Adds no message to exit codes 2 and 3, because the command has explained them.
pub(crate) fn pass_on(command: &mut Command) -> Outcome {
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    let is_explained = matches!(code, 2 | Failure::MISSING);
    let text = format!("'{}' ended with {status}", shown(command));
    Err(Failure { code, text: if is_explained { String::new() } else { text } })
}

pub(crate) fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn has_library(target: &str) -> bool {
    let installed = output_of("rustup", &["target", "list", "--installed"]);
    installed.is_some_and(|targets| targets.lines().any(|line| line.trim() == target))
        || output_of("rustup", &["target", "add", target]).is_some()
}

pub(crate) fn is_root() -> bool {
    output_of("id", &["-u"]).is_some_and(|id| id.trim() == "0")
}

pub(crate) fn has(program: &str) -> bool {
    let Some(path) = env::var_os("PATH") else {
        return false;
    };
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args().map(OsStr::to_string_lossy) {
        text.push(' ');
        match argument.lines().next() {
            Some(first) if first.len() < argument.len() => text.push('…'),
            Some(first) => text.push_str(first),
            None => text.push_str("''"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_holds_the_workspace() {
        assert!(checkout().join("tools/xtask/src/host.rs").is_file());
    }

    #[test]
    fn messages_leave_scripts_out() {
        let mut command = Command::new("sh");
        command.args(["-c", "first\nsecond", "", "last"]);
        assert_eq!(shown(&command), "sh -c … '' last");
    }
}
