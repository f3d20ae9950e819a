//! The positions of names in the output, which Emacs reads at its end.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::quote::Style;

/// Where names are in the output so far.
#[derive(Debug, Default)]
pub(super) struct Dired {
    /// The length of the output so far.
    length: Cell<usize>,
    names: RefCell<Vec<Range<usize>>>,
    directories: RefCell<Vec<Range<usize>>>,
}

impl Dired {
    /// Counts output that follows what was counted so far.
    pub(super) fn count(&self, length: usize) {
        self.length.set(self.length.get() + length);
    }

    /// Notes where in the output that follows the name of an entry is.
    pub(super) fn name(&self, at: Range<usize>) {
        self.names.borrow_mut().push(self.moved(at));
    }

    /// Notes where in the output that follows the name of a directory is.
    pub(super) fn directory(&self, at: Range<usize>) {
        self.directories.borrow_mut().push(self.moved(at));
    }

    fn moved(&self, at: Range<usize>) -> Range<usize> {
        let before = self.length.get();
        before + at.start..before + at.end
    }

    /// Returns the end of the output.
    pub(super) fn end(&self, style: Style) -> String {
        let line = |word: &str, ranges: &[Range<usize>]| match ranges {
            [] => String::new(),
            ranges => {
                let ranges = ranges.iter().map(|range| format!(" {} {}", range.start, range.end));
                format!("//{word}//{}\n", ranges.collect::<Vec<_>>().concat())
            }
        };
        let style = Style::WORDS.iter().find(|&&(_, other)| other == style);
        let style = style.map_or("literal", |&(word, _)| word);
        format!(
            "{}{}//DIRED-OPTIONS// --quoting-style={style}\n",
            line("DIRED", &self.names.borrow()),
            line("SUBDIRED", &self.directories.borrow()),
        )
    }
}
