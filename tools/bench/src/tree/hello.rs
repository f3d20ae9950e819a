//! The smallest program there is: it ends well, at once. Starting it costs what a start costs, and
//! hardly anything for the program itself; one that is linked dynamically spends several times as
//! much on finding its libraries.

use std::io;
use std::path::Path;

/// What it is called.
pub(crate) const NAME: &str = "hello";

/// Puts it there. Where nothing may be executed, or no such program is known for the processor, it
/// is a link to a program that the system has.
#[cfg(target_os = "linux")]
pub(super) fn put(path: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    use std::os::unix::fs::PermissionsExt as _;
    if let Some(code) = CODE {
        std::fs::write(path, image(code))?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
        if access(path, Access::EXEC_OK).is_ok() {
            return Ok(());
        }
        std::fs::remove_file(path)?;
    }
    std::os::unix::fs::symlink("/bin/true", path)
}

#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn put(path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink("/usr/bin/true", path)
}

/// Nothing is started there.
#[cfg(not(unix))]
pub(super) fn put(path: &Path) -> io::Result<()> {
    std::fs::write(path, [])
}

/// The machine's number in an ELF file, and `exit(0)`.
#[cfg(target_os = "linux")]
const CODE: Option<(u16, &[u8])> = if cfg!(target_arch = "x86_64") {
    // mov eax, 60; xor edi, edi; syscall
    Some((62, &[0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05]))
} else if cfg!(target_arch = "aarch64") {
    // mov x8, #93; mov x0, #0; svc #0
    Some((183, &[0xa8, 0x0b, 0x80, 0xd2, 0, 0, 0x80, 0xd2, 0x01, 0, 0, 0xd4]))
} else {
    None
};

/// An ELF file of 64 bits, least byte first, with one piece of memory: the file itself.
#[cfg(target_os = "linux")]
fn image((machine, code): (u16, &[u8])) -> Vec<u8> {
    const BASE: u64 = 0x40_0000;
    const HEADER: u16 = 64;
    const SEGMENT: u16 = 56;
    let begin = u64::from(HEADER + SEGMENT);
    let size = begin + code.len() as u64;
    // Executable, for this machine, version 1; where it begins, where the segment is described; no
    // sections.
    let kind = [2_u16, machine].map(u16::to_le_bytes);
    let places = [BASE + begin, u64::from(HEADER), 0].map(u64::to_le_bytes);
    let sizes = [HEADER, SEGMENT, 1, 0, 0, 0].map(u16::to_le_bytes);
    // Loaded, to be read and executed: all of the file.
    let how = [1_u32, 5].map(u32::to_le_bytes);
    let what = [0, BASE, BASE, size, size, 0x1_0000].map(u64::to_le_bytes);
    let version = 1_u32.to_le_bytes();
    [
        &[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        kind.as_flattened(),
        &version,
        places.as_flattened(),
        &[0; 4],
        sizes.as_flattened(),
        how.as_flattened(),
        what.as_flattened(),
        code,
    ]
    .concat()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::place::sandbox::Sandbox;

    #[test]
    fn it_ends_well_wherever_it_lies() {
        for place in [std::env::temp_dir(), "/dev/shm".into()] {
            let Ok(sandbox) = Sandbox::create(&place) else { continue };
            let path = sandbox.entry(NAME);
            put(&path).unwrap();
            let status = loop {
                match std::process::Command::new(&path).status() {
                    // A program that another test starts just now has it open for writing until it
                    // runs.
                    Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {}
                    answer => break answer.unwrap(),
                }
            };
            assert!(status.success(), "{}: {status}", path.display());
        }
    }
}
