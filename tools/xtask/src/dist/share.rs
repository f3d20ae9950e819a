//! What packages hold beside the binary: manual pages, completions, and documents, in the folders
//! below `share` of a Unix system.

use super::{Release, linux::Machine};
use crate::host::{self, Failure, Outcome};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The completions: the shell, and the file.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/curt"),
    ("zsh", "zsh/site-functions/_curt"),
    ("fish", "fish/vendor_completions.d/curt.fish"),
];

/// The documents, which lie at the top of the checkout.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Makes the folder `share` again: the same for all machines, so this machine's binary writes it.
pub(super) fn make(release: &Release) -> Outcome {
    let curt = Machine::this()?.build()?;
    let share = release.folder.join("share");
    if share.exists() {
        fs::remove_dir_all(&share)?;
    }
    let help = output_of(&curt, &["--help"])?;
    let help = String::from_utf8_lossy(&help);
    let mut commands = commands(&help).peekable();
    if commands.peek().is_none() {
        return Err(Failure::new("the help of curt lists no commands"));
    }
    write(&share.join("man/man1/curt.1"), &output_of(&curt, &["man"])?)?;
    for command in commands {
        let page = output_of(&curt, &["man", command])?;
        write(&share.join(format!("man/man1/curt-{command}.1")), &page)?;
    }
    for (shell, file) in COMPLETIONS {
        write(&share.join(file), &output_of(&curt, &["completions", shell])?)?;
    }
    for name in DOCUMENTS {
        write(&share.join("doc/curt").join(name), &fs::read(host::checkout().join(name))?)?;
    }
    Ok(())
}

/// The commands that clap's help lists, but `help` itself.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // What is indented by more continues the line before it.
    let entries = lines.filter_map(|line| line.strip_prefix("  "));
    let entries = entries.filter(|line| !line.starts_with(' '));
    entries.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help")
}

/// What curt prints, which must not be nothing.
fn output_of(curt: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let output = Command::new(curt).args(arguments).env_clear().output()?;
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(output.stdout);
    }
    let text = format!("'curt {}' ended with {}", arguments.join(" "), output.status);
    Err(Failure::new(text + ", or printed nothing"))
}

/// Writes a file, with the folders that it lies in.
pub(super) fn write(path: &Path, text: &[u8]) -> Outcome {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_the_help() {
        let help = "About\n\nUsage: curt <COMMAND>\n\nCommands:\n  rm     Remove files\n          \
            and more\n  which  Find\n  help   Print help\n\nOptions:\n  -h, --help  Print\n";
        assert_eq!(commands(help).collect::<Vec<_>>(), ["rm", "which"]);
        assert_eq!(commands("Usage: curt").count(), 0);
    }
}
