//! The content of copied files, and their holes.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use curt_testkit::{Over, Scratch};
use rustix::fs::statfs;

use crate::{complete, options, parts};

const XFS: i64 = 0x5846_5342;

#[test]
fn content_of_any_size_is_copied() {
    for scratch in [Scratch::new(), Scratch::on_disk()] {
        for size in [0, 1, 4095, 4096, 4097, 20 << 20] {
            let content: Vec<u8> = (0..size).map(|at: u32| (at / 7) as u8).collect();
            scratch.file_with(format!("s/{size}"), &content);
        }
        let report = options("").run(scratch.at("s"), scratch.at("t"));
        complete(&report);
        assert_eq!((report.files, report.bytes), (6, (20 << 20) + 3 * 4096 + 1));
        // The largest file is copied in two pieces.
        assert_eq!(report.calls.of("copy_file_range"), 6, "{report:?}");
        for line in scratch.list("s") {
            let [from, to] = ["s", "t"].map(|top| scratch.at(top).join(&line[2..]));
            assert!(fs::read(from).unwrap() == fs::read(to).unwrap(), "{line}");
        }
    }
}

/// Makes files with holes at every end of them, the largest of `most` bytes.
pub(crate) fn sparse_files(scratch: &Scratch, top: &str, most: u64) {
    const MIB: u64 = 1 << 20;
    scratch.dir(top);
    for (name, size, places) in [
        ("hole", MIB, &[][..]),
        ("begin", MIB, &[(0, 1)]),
        ("end", MIB, &[(MIB - 5, 5)]),
        ("middle", MIB + 1, &[(MIB / 2 - 1, 10_000)]),
        ("several", most, &[(4096, 4096), (most / 3, 300_000), (most - MIB, 1), (most - 1, 1)]),
    ] {
        let file = File::create_new(scratch.at(top).join(name)).unwrap();
        for &(at, length) in places {
            file.write_all_at(&vec![b'x'; length], at).unwrap();
        }
        file.set_len(size).unwrap();
        // Some filesystems know the holes only then.
        file.sync_all().unwrap();
    }
}

/// Asserts that files in two directories have the same content, and that the copies take no more
/// space than the parts known to be no holes, and the blocks at the ends of each.
#[track_caller]
pub(crate) fn assert_same_files(scratch: &Scratch, from: &str, to: &str) {
    for line in scratch.list(from) {
        let [from, to] = [from, to].map(|top| scratch.at(top).join(&line[2..]));
        let [source, copy] = [&from, &to].map(|path| File::open(path).unwrap());
        copy.sync_all().unwrap();
        let about = copy.metadata().unwrap();
        assert_eq!(about.len(), source.metadata().unwrap().len(), "{}", to.display());
        for (begin, end) in [parts(&from), parts(&to)].concat() {
            let [from, to] = [&source, &copy].map(|file| {
                let mut bytes = vec![0; (end - begin) as usize];
                file.read_exact_at(&mut bytes, begin).map(|()| bytes).unwrap()
            });
            assert!(from == to, "{line}: {begin} to {end}");
        }
        let parts = parts(&from).into_iter().map(|(begin, end)| end - begin + 2 * about.blksize());
        let (allocated, most) = (about.blocks() * 512, parts.sum());
        // XFS allocates space ahead of further writes.
        let is_xfs = statfs(&to).unwrap().f_type == XFS;
        assert!(is_xfs || allocated <= most, "{}: {allocated} of {most}", to.display());
    }
}

#[test]
fn holes_are_copied_as_holes() {
    for scratch in [Scratch::new(), Scratch::on_disk()] {
        sparse_files(&scratch, "s", 5 << 30);
        let report = options("").run(scratch.at("s"), scratch.at("t"));
        complete(&report);
        assert_same_files(&scratch, "s", "t");
        for line in scratch.list("s") {
            let [from, to] = ["s", "t"].map(|top| parts(&scratch.at(top).join(&line[2..])));
            assert_eq!(from, to, "{line}");
        }
    }
}

#[test]
fn a_growing_file_is_copied_up_to_some_end() {
    for size in [4096, 3 << 20] {
        let scratch = Scratch::new();
        let path = scratch.file_with("s/file", &vec![b'x'; size]);
        // Either sparse or not.
        File::options().write(true).open(&path).unwrap().set_len(3 << 20).unwrap();
        for _ in 0..20 {
            let (before, over) = (fs::metadata(&path).unwrap().len(), AtomicBool::new(false));
            std::thread::scope(|threads| {
                let _at_last = Over(&over);
                threads.spawn(|| {
                    let mut file = File::options().append(true).open(&path).unwrap();
                    let mut left = 0..500;
                    while !over.load(Relaxed) && left.next().is_some() {
                        file.write_all(&[b'y'; 1000]).unwrap();
                    }
                });
                complete(&options("").run(scratch.at("s"), scratch.at("t")));
            });
            let [from, to] = ["s/file", "t/file"].map(|path| fs::read(scratch.at(path)).unwrap());
            assert!(to.len() as u64 >= before && from.starts_with(&to), "{size}");
            scratch.remove("t");
        }
    }
}

#[test]
fn files_of_the_kernel_are_copied_whatever_size_they_claim() {
    let scratch = Scratch::new();
    scratch.dir("t");
    let files = "/proc/version /proc/filesystems /proc/cmdline /proc/sys/kernel/ostype \
                 /sys/devices/system/cpu/possible /sys/kernel/notes";
    for path in files.split(' ') {
        let Ok(content) = fs::read(path) else { continue };
        for words in ["", "all"] {
            let to = scratch.at("t/file");
            let report = options(words).run(path, &to);
            complete(&report);
            assert_eq!(fs::read(&to).unwrap(), content, "{path}");
            assert_eq!(report.bytes, content.len() as u64, "{path}");
            scratch.remove("t/file");
        }
    }
}
