//! Features that the standard library lacks: the search, trees, limits, reasons of failures.

mod failing;
#[cfg(unix)]
mod named;
#[cfg(unix)]
mod running;
#[cfg(unix)]
mod swapped;
