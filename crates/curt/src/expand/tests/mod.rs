//! Vectors, row by row as the authorities have them, and what must hold for any text.

mod windows;
