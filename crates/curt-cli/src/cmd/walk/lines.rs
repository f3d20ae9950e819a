//! What is printed of an entry.

use std::io::{self, IsTerminal};

use curt::{Fields, Visited};

use crate::args::WalkOptions;

/// The shape of the lines.
pub(super) struct Lines {
    end: u8,
    /// Standard output is a terminal, which must not act upon a name.
    shields: bool,
}

impl Lines {
    pub(super) fn new(options: &WalkOptions) -> Lines {
        let end = if options.null { 0 } else { b'\n' };
        Lines { end, shields: !options.null && io::stdout().is_terminal() }
    }

    /// What has to be known of an entry.
    pub(super) fn asks(&self) -> Fields {
        Fields::NONE
    }

    /// Adds the line of an entry.
    pub(super) fn add(&self, entry: &Visited<'_>, to: &mut Vec<u8>) {
        let path = entry.path();
        let bytes = path.as_os_str().as_encoded_bytes();
        if self.shields {
            // As find does it: what a terminal would act upon is a question mark.
            to.extend(
                bytes.iter().map(|&byte| if byte < 0x20 || byte == 0x7f { b'?' } else { byte }),
            );
        } else {
            to.extend_from_slice(bytes);
        }
        to.push(self.end);
    }
}
