//! The variables that a program is given.

use std::process::Command;

#[test]
fn a_cleared_environment_keeps_what_programs_need_to_start() {
    let root = std::env::var("SystemRoot").unwrap();
    // Spelled so that the system's own default, which Wine adds where none is given, is told apart.
    let ours = format!(r"{root}\.");
    let run = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
        command.args(["run", "--clear-env"]).args(options);
        command.arg("--").arg(format!(r"{root}\system32\cmd.exe"));
        command.args(["/c", "echo %SystemRoot% %CURT_TEST%"]);
        let output = command.env("SystemRoot", &ours).env("CURT_TEST", "kept").output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(run(&[]), format!("{ours} %CURT_TEST%"));
    assert_eq!(run(&["--env", "systemROOT=C:\\elsewhere"]), r"C:\elsewhere %CURT_TEST%");
}
