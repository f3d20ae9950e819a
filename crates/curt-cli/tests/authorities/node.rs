//! Node's `child_process`, which is libuv's `uv_spawn`.

use std::path::Path;
use std::process::Command;

use curt_testkit::skip;

use super::{Answer, CASES, Case, Ground, compare};

const PROGRAM: &str = "const done = require('child_process').spawnSync(process.argv[1]); \
    process.stdout.write(done.error ? done.error.code : done.stdout)";

#[test]
fn node_starts_what_curt_finds() {
    // By its path, so that a stand-in which looks for others does not look in the table's PATH.
    let own = Command::new("node").args(["-p", "process.execPath"]).output();
    let own = own.map(|output| String::from_utf8(output.stdout).unwrap()).unwrap_or_default();
    let node = Path::new(own.trim());
    for ground in Ground::all() {
        if !node.is_absolute() || !ground.run(node, &["-e", ""], "/bin").status.success() {
            skip("node is not installed, or cannot be run by another user");
            continue;
        }
        compare(&ground, &["--policy", "node"], CASES, |(path, name): Case| {
            let output = ground.run(node, &["-e", PROGRAM, name], path);
            assert!(output.status.success(), "{output:?}");
            match String::from_utf8(output.stdout).unwrap().trim_end() {
                "ENOENT" | "ENOTDIR" => Answer::Not("not-found".to_owned()),
                "EACCES" => ground.why((path, name), true),
                found => Answer::Found(ground.plain(found)),
            }
        });
    }
}
