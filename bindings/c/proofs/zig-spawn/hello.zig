//! The program to start.
pub fn main() u8 {
    return 3;
}
