use cap_std::ambient_authority;
use cap_std::fs::Dir;

fn main() -> std::io::Result<()> {
    let tree = rival_open_crates::tree();
    let root = Dir::open_ambient_dir(&tree, ambient_authority())?;
    rival_open_crates::run(&tree, |path| root.open(path).map(drop))
}
