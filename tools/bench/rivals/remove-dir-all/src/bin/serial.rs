//! `remove_dir_all` as it is by default: one thread.
fn main() -> std::process::ExitCode {
    rival_remove_dir_all::run("rm-remove-dir-all", false)
}
