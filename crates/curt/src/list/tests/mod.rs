#[cfg(unix)]
mod directory_walk;
mod entries;
mod gather;
