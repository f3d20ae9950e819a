//! `remove_dir_all` with its feature `parallel` switched on.
fn main() -> std::process::ExitCode {
    rival_remove_dir_all::run("rm-remove-dir-all-parallel", true)
}
