//! The programs that are measured: the command, which is built first, and this one, which plays
//! roles.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the command is, if it is not to be built.
const VARIABLE: &str = "CURT";

/// The command and the bench itself.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// The command `curt`.
    pub(crate) curt: PathBuf,
    /// This program, for the roles that it plays.
    pub(crate) own: PathBuf,
}

impl Programs {
    /// The command that the environment variable `CURT` names; else Cargo, if it started this
    /// program, builds it as users get it.
    pub(crate) fn find() -> io::Result<Self> {
        let own = std::env::current_exe()?;
        let curt = match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(given) => std::path::absolute(given)?,
            None => build()?,
        };
        if !curt.is_file() {
            let text = format!("there is no program {}", curt.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        Ok(Self { curt, own })
    }
}

/// Builds the command and returns where Cargo put it.
fn build() -> io::Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(cargo), Some(folder)) = (set("CARGO"), set("CARGO_MANIFEST_DIR")) else {
        let text = format!("which curt? Start the bench by 'cargo run', or set {VARIABLE}");
        return Err(io::Error::new(io::ErrorKind::NotFound, text));
    };
    let output = Command::new(cargo)
        .args(["build", "--release", "--locked", "--package", "curt-cli", "--bin", "curt"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    let built = String::from_utf8_lossy(&output.stdout);
    let built = built.lines().filter_map(executable).next_back();
    built.filter(|_| output.status.success()).ok_or_else(|| io::Error::other("cannot build curt"))
}

/// The program that one of Cargo's messages says was built.
fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    message.get("executable")?.as_str().map(|path| Path::new(path).to_path_buf())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Programs that nobody starts.
    pub(crate) fn some() -> Programs {
        Programs { curt: "/bin/curt".into(), own: "/bin/curt-bench".into() }
    }

    #[test]
    fn cargo_says_where_the_program_is() {
        assert_eq!(executable(r#"{"reason":"x","executable":"/t/curt"}"#), Some("/t/curt".into()));
        assert_eq!(executable(r#"{"reason":"x","executable":null}"#), None);
        assert_eq!(executable("warning: text"), None);
    }
}
