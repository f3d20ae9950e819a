//! Tells the linker how an addon is made.

fn main() {
    napi_build::setup();
}
