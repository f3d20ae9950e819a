use std::io;
use strict_path::PathBoundary;

fn main() -> io::Result<()> {
    let tree = rival_open_crates::tree();
    let root: PathBoundary = PathBoundary::try_new(&tree).map_err(io::Error::other)?;
    rival_open_crates::run(&tree, |path| {
        let path = root.strict_join(path).map_err(io::Error::other)?;
        std::fs::File::open(path.interop_path()).map(drop)
    })
}
