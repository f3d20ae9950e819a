//! Tells the linker how to build an addon.

fn main() {
    napi_build::setup();
}
