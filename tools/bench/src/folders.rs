//! Where `cargo xtask rivals` puts what it builds.

use std::path::{Path, PathBuf};

/// Where rivals may have been built: beside this program's target folder, or below the working
/// directory.
pub(crate) fn rival_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::var_os("CURT_RIVALS").map(PathBuf::from).into_iter().collect();
    if let Ok(program) = std::env::current_exe() {
        folders.extend(target_folders(&program).into_iter().map(|target| target.join("rivals")));
    }
    if let Ok(working) = std::env::current_dir() {
        folders.push(working.join("target").join("rivals"));
    }
    folders
}

/// The target folders that `program` was built in: `target/release/curt-bench` or
/// `target/TRIPLE/release/curt-bench`. None if it was not: an installed program must not start what
/// somebody put beside it.
fn target_folders(program: &Path) -> Vec<PathBuf> {
    let Some(profile) = program.parent() else {
        return Vec::new();
    };
    let names = ["release", "debug", "dist"].map(std::ffi::OsStr::new);
    if !profile.file_name().is_some_and(|name| names.contains(&name)) {
        return Vec::new();
    }
    let above = profile.ancestors().skip(1).take(2);
    above.filter(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_path_buf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_in_a_target_folder_has_rivals_beside_it() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("target");
        std::fs::create_dir_all(folder.join("release")).unwrap();
        let program = folder.join("release").join("curt-bench");
        assert!(target_folders(&program).is_empty());
        std::fs::write(folder.join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(target_folders(&program), std::slice::from_ref(&folder));
        assert!(target_folders(Path::new("/usr/bin/curt-bench")).is_empty());
    }
}
