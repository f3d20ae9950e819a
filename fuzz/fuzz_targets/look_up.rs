//! Searches with a `PATH`, a `PATHEXT` and a name, each on a line, under both systems' rules.
//! Results must be files of the tree, all queries must agree, and the number of directories limits
//! the calls.
#![no_main]

use curt::which::fuzzing::{FILES, search};
use curt::paths::Flavor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut lines = data.splitn(3, |&byte| byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (path, pathext, name) = (line(), line(), line());
    let name = String::from_utf8_lossy(name);
    for rules in [Flavor::Posix, Flavor::Windows] {
        let found = search(rules, path, pathext, &name);
        let separators = path.iter().filter(|byte| b":;".contains(byte)).count() as u64;
        let extensions = pathext.split(|&byte| byte == b';').count().max(4) as u64;
        // Including the base and the implicit working directory.
        assert!(found.calls <= (separators + 3) * (5 + 2 * extensions), "{found:?}");
        if let Ok((path, _)) = &found.answer {
            let file = path.rsplit('/').next().unwrap_or_default();
            assert!(FILES.iter().any(|known| known.ends_with(&format!("/{file}"))), "{path}");
            let again = search(rules, b"", pathext, path);
            assert_eq!(again.answer.map(|(path, _)| path).as_ref(), Ok(path));
        }
    }
});
