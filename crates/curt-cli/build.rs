//! Makes the command start quickly on Linux: with its own `main`, and with the GNU C library by how
//! it is linked. `docs/performance.md` says what that is worth.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    println!("cargo::rustc-check-cfg=cfg(own_main)");
    if is("CARGO_CFG_TARGET_OS", "linux") {
        // `src/sys/unix/main.rs` says why.
        println!("cargo::rustc-cfg=own_main");
    }
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        link_unwinder_statically();
        // Parts of a static C library need a program that can lie anywhere, Rust's default.
        let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        if !features.split(',').any(|feature| feature == "crt-static") {
            link_at_fixed_address();
        }
    }
}

/// Leaves nothing to relocate at a start, which otherwise writes addresses into 44 pages. Stack,
/// heap and libraries stay at random addresses. The packaged binary is linked this way, too.
fn link_at_fixed_address() {
    println!("cargo::rustc-link-arg-bins=-no-pie");
}

/// Takes the unwinder from GCC's archive instead of from its shared library, which a program would
/// look up, map and relocate at every start, for the one panic that should never come. The linker
/// finds, ahead of the shared library, a script of that name. Where there is no archive, and where
/// that cannot be told, nothing changes.
fn link_unwinder_statically() {
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        return;
    };
    let script = folder.join("libgcc_s.so");
    if has_archive(&linker) && fs::write(script, "GROUP ( -lgcc_eh -lgcc )\n").is_ok() {
        println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
    }
}

/// Whether the linker, a driver such as `cc`, knows the archive: it then answers with its path, and
/// otherwise with the bare name.
fn has_archive(linker: &str) -> bool {
    let Ok(answer) = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output() else {
        return false;
    };
    let path = String::from_utf8_lossy(&answer.stdout);
    Path::new(path.trim()).is_absolute()
}
