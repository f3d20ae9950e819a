//! Joins, where the path is relative, and cleans with the `path-clean` crate. Beneath a directory
//! is what then begins with it.
use path_clean::clean;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    rival_expand_crates::run(&["posix", "beneath"], |flavor, base, path| {
        let path = Path::new(path);
        if flavor == "beneath" {
            let stays = clean(Path::new(base).join(path)).starts_with(base);
            return if stays { path.as_os_str().len() } else { 0 };
        }
        let full = if path.is_absolute() { clean(path) } else { clean(Path::new(base).join(path)) };
        full.as_os_str().len()
    })
}
