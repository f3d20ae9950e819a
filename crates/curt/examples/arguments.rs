//! Prints its arguments, one in a line, as numbers: for tests of how they arrive.

fn main() {
    use std::io::Write;
    let mut text = String::new();
    for argument in std::env::args_os().skip(1) {
        for byte in argument.as_encoded_bytes() {
            text.push_str(&byte.to_string());
            text.push(' ');
        }
        text.push('\n');
    }
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}
