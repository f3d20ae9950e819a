//! The program that is started.
pub fn main() u8 {
    return 3;
}
