//! Makes the command start faster on Linux, with its own `main` and, for the GNU C library, special
//! linking. `docs/performance.md` has the measurements.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    println!("cargo::rustc-check-cfg=cfg(own_main)");
    if is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-cfg=own_main");
    }
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        link_unwinder_statically();
        // Skip this for a static C library, which contains code that needs a position-independent
        // program.
        let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        if !features.split(',').any(|feature| feature == "crt-static") {
            link_at_fixed_address();
        }
    }
}

/// Links the program at a fixed address. Otherwise relocations would write to 44 pages at every
/// start. Stack, heap and libraries remain at random addresses. The packaged binary is linked this
/// way, too.
fn link_at_fixed_address() {
    println!("cargo::rustc-link-arg-bins=-no-pie");
}

/// Links the unwinder statically. Otherwise every start would look up, map and relocate a shared
/// library, for a panic that should never happen. The linker first finds a linker script with the
/// library's name, which redirects to GCC's archive. Without the archive, the shared library is
/// used.
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

/// Returns whether the linker driver, such as `cc`, has the archive. If it does, it prints the
/// archive's absolute path; otherwise it repeats the name.
fn has_archive(linker: &str) -> bool {
    let Ok(answer) = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output() else {
        return false;
    };
    let path = String::from_utf8_lossy(&answer.stdout);
    Path::new(path.trim()).is_absolute()
}
