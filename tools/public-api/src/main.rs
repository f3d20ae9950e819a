//! Prints the public API of a crate from rustdoc's JSON. A separate program, because it needs a
//! newer Rust than the workspace.

use public_api::Builder;

fn main() -> Result<(), public_api::Error> {
    for json in std::env::args_os().skip(1) {
        let api = Builder::from_rustdoc_json(json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .build()?;
        print!("{api}");
    }
    Ok(())
}
