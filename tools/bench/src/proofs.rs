use crate::progress::{Interrupt, stage};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROOFS: [(u32, &str, &str); 5] = [
    (1, "Zig starts programs", "c/proofs/zig-spawn"),
    (2, "Zig removes a tree", "c/proofs/zig-delete"),
    (3, "Cygwin lists a directory", "c/proofs/cygwin"),
    (4, "Ruby expands paths and requires files", "ruby/proofs/require"),
    (5, "libuv searches for programs", "c/proofs/libuv"),
];

#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) title: String,
    pub(crate) tables: String,
    pub(crate) failure: Option<String>,
    pub(crate) is_missing: bool,
}

pub(crate) fn run(interrupt: &Interrupt) -> io::Result<Vec<Proof>> {
    let Some(manifest) = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) else {
        return Err(io::Error::other("--reports builds programs: start the bench by 'cargo run'"));
    };
    let folder = manifest.join("../../bindings");
    let mut proofs = Vec::new();
    for (number, title, name) in PROOFS {
        if interrupt.wanted() {
            break;
        }
        let title = format!("Report {number}: {title}");
        stage(&format!("[{}/{}] {title}", proofs.len() + 1, PROOFS.len()));
        proofs.push(proof(title, &folder.join(name).join("run.sh"))?);
    }
    stage("");
    Ok(proofs)
}

fn proof(title: String, script: &Path) -> io::Result<Proof> {
    let output = Command::new("bash").arg(script).stdin(Stdio::null()).output()?;
    let [tables, said] = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned());
    let failure = || said.lines().next_back().unwrap_or("nothing was said").to_owned();
    Ok(Proof {
        title,
        tables,
        failure: (!output.status.success()).then(failure),
        is_missing: output.status.code() == Some(3),
    })
}

impl Proof {
    pub(crate) fn is_good(&self) -> bool {
        self.failure.is_none() || self.is_missing
    }

    pub(crate) fn text(&self) -> String {
        let word = if self.is_missing { "Left out" } else { "FAILED" };
        let failure = self.failure.as_ref().map(|why| format!("{word}: {why}"));
        let parts = [self.tables.clone(), failure.unwrap_or_default()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_proof_says_what_it_shows_and_how_it_ends() {
        let scratch = tempfile::tempdir().unwrap();
        let script = scratch.path().join("run.sh");
        let run = |text: &str| {
            std::fs::write(&script, text).unwrap();
            proof("Report 9".to_owned(), &script).unwrap()
        };
        let good = run("echo a; echo building >&2");
        assert!(good.is_good() && good.text() == "a", "{good:?}");
        let missing = run("echo 'no Wine' >&2; exit 3");
        assert!(missing.is_good() && missing.text() == "Left out: no Wine", "{missing:?}");
        let wrong = run("echo a; echo '7 calls' >&2; exit 1");
        assert!(!wrong.is_good() && wrong.text() == "a\nFAILED: 7 calls", "{wrong:?}");
    }

    #[test]
    fn every_proof_is_in_the_checkout() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bindings");
        for (_, _, name) in PROOFS {
            assert!(folder.join(name).join("run.sh").is_file(), "{name}");
        }
    }
}
