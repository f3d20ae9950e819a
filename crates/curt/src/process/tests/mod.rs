mod failing;
#[cfg(unix)]
mod named;
#[cfg(unix)]
mod running;
#[cfg(unix)]
mod swapped;
