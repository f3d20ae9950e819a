//! The five public reports that curt began with: what they said, and their numbers, from their
//! authors' machines. A ratio holds within one row only.

use crate::scenario::Report;

/// A report as it was published.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) report: Report,
    pub(super) title: &'static str,
    /// Who said what.
    pub(super) story: &'static str,
    pub(super) columns: &'static [&'static str],
    pub(super) rows: &'static [&'static [&'static str]],
}

pub(super) static PUBLISHED: [Published; 4] = [
    Published {
        report: Report::Remove,
        title: "2. Zig pull request 13073: removing a tree",
        story: "The tree that create-react-app made: 41,209 entries. The change keeps 16 \
                directories open instead of one. The rebuilt tree has the same number of files and \
                directories, at most ten levels deep.",
        columns: &["Linux", "time", "calls"],
        rows: &[
            &["before", "701.2 ms", "166,884"],
            &["after", "382.7 ms", "60,683"],
            &["after, with 4 directories", "–", "68,737"],
            &["after, with 1 directory", "683.6 ms", "118,567"],
            &["rm -rf", "423.9 ms", "–"],
        ],
    },
    Published {
        report: Report::List,
        title: "3. A mail to Cygwin's list: ls of 3,580 files",
        story: "ls opened every file only to stat it, up to five times. Most of what a release \
                lost was waiting, which is why user, system and waiting time stand apart here. \
                “cmd /c dir” took 113 ms.",
        columns: &["Cygwin", "1.7.5", "1.7.7"],
        rows: &[&["as released", "530 ms", "3,949 ms"], &["patched", "123 ms", "3,575 ms"]],
    },
    Published {
        report: Report::Expand,
        title: "4. Ruby bug 6836: File.expand_path on Windows",
        story: "Making a path absolute touched the disk, and every require paid for it. The change \
                expands text only. Rebuilt are the expansions behind these loads.",
        columns: &["load", "before", "after"],
        rows: &[
            &["100 files, flat", "4.64 s", "1.89 s"],
            &["100 files, five levels deep", "5.23 s", "2.50 s"],
            &["empty Rails application, 772 files", "7.29 s", "2.62 s"],
            &["Enki, 1,146 files", "22.62 s", "11.01 s"],
            &["rake -T", "8.69 s", "3.31 s"],
        ],
    },
    Published {
        report: Report::LookUp,
        title: "5. libuv pull request 5120: looking programs up, and the worst case",
        story: "One listing for each directory decides whether anything can match. The worst case \
                is a directory in which very much does.",
        columns: &["case", "listing", "five probes", "list, then probe", "cmd.exe"],
        rows: &[
            &["a million random names", "3.6 ms", "3.6 ms", "–", "–"],
            &["100,000 look-alikes", "97 ms", "3.4 ms", "3.2 ms", "26.6 ms"],
        ],
    },
];
