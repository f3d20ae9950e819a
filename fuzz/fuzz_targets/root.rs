//! No operation on a root with symlinks to the outside may open, create or change anything outside.
//! `openat2` and the portable path must agree.
#![no_main]

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use curt::beneath::OpenOptions;
use curt::{Feature, Root};
use libfuzzer_sys::fuzz_target;

const SECRET: &[u8] = b"secret\0";

struct Ground(PathBuf);

impl Ground {
    fn new() -> Ground {
        static PLACE: OnceLock<PathBuf> = OnceLock::new();
        let place = PLACE.get_or_init(|| {
            let memory = Path::new("/dev/shm");
            let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
            place.join(format!("curt-fuzz-root-{}", std::process::id()))
        });
        let _ = fs::remove_dir_all(place);
        fs::create_dir_all(place.join("root/a/b")).expect("it can be made");
        fs::create_dir(place.join("beside")).expect("it can be made");
        fs::write(place.join("beside/secret"), SECRET).expect("it can be written");
        fs::write(place.join("root/a/f"), b"inside").expect("it can be written");
        for (link, target) in [
            ("root/out", "../beside".into()),
            ("root/a/up", "../..".into()),
            ("root/a/in", "b".into()),
            ("root/round", "round".into()),
            ("root/abs", place.join("beside")),
        ] {
            symlink::<PathBuf, _>(target, place.join(link)).expect("it can be made");
        }
        Ground(place.clone())
    }

    fn outside(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for folder in [self.0.clone(), self.0.join("beside")] {
            for entry in fs::read_dir(folder).expect("it can be listed").flatten() {
                let path = entry.path();
                let content = fs::read(&path).unwrap_or_default();
                found.push((path, content));
            }
        }
        found.sort();
        found
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn act(root: &Root, line: &[u8]) -> Result<Vec<u8>, ()> {
    let (&what, rest) = line.split_first().ok_or(())?;
    let text = String::from_utf8_lossy(rest);
    let (path, other) = text.split_once(' ').unwrap_or((&text, "new"));
    match what % 8 {
        0 | 1 => {
            let file = root.open_file(path, OpenOptions::new().read(true).nonblocking(true));
            let mut file = file.map_err(drop)?;
            let mut content = Vec::new();
            let _ = file.read_to_end(&mut content);
            Ok(content)
        }
        2 => root
            .open_file(path, OpenOptions::new().write(true).create(true).truncate(true))
            .map(|_| Vec::new())
            .map_err(drop),
        3 => root.create_dir_with_mode(path, 0o777).map(|()| Vec::new()).map_err(drop),
        4 => root.rename(path, other).map(|()| Vec::new()).map_err(drop),
        5 => root.remove_file(path).map(|()| Vec::new()).map_err(drop),
        6 => root
            .canonical(path)
            .map(|found| found.path.into_os_string().into_encoded_bytes())
            .map_err(drop),
        _ => root
            .open_dir(path)
            .and_then(|root| root.canonical("."))
            .map(|found| found.path.into_os_string().into_encoded_bytes())
            .map_err(drop),
    }
}

fuzz_target!(|data: &[u8]| {
    let answers = [&[][..], &[Feature::Openat2]].map(|without| {
        let ground = Ground::new();
        let before = ground.outside();
        let root = Root::open_without(ground.0.join("root"), without).expect("it can be opened");
        let lines = data.split(|&byte| byte == b'\n').take(16);
        let answers: Vec<_> = lines.map(|line| act(&root, line)).collect();
        for answer in answers.iter().flatten() {
            assert!(answer != SECRET, "the secret was read");
        }
        assert_eq!(ground.outside(), before, "something outside was changed");
        answers
    });
    assert_eq!(answers[0], answers[1], "one call and single steps");
});
