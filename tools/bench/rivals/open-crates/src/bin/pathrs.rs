#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    use pathrs::{Root, flags::OpenFlags};
    let tree = rival_open_crates::tree();
    let root = Root::open(&tree).map_err(std::io::Error::other)?;
    rival_open_crates::run(&tree, |path| {
        root.open_subpath(path, OpenFlags::O_RDONLY).map(drop).map_err(std::io::Error::other)
    })
}

#[cfg(not(target_os = "linux"))]
fn main() {
    std::process::exit(2);
}
