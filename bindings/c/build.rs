//! Keeps the shared library loaded after `dlclose`: thread-local destructors of its standard
//! library may run later.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "unix")
        && std::env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor != "apple")
    {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
