//! When many names of one directory are better read off its listing than asked about one by one.

/// What a platform knows of the two prices.
pub(crate) trait Many {
    /// How many entries of a listing take about as long as one question about a name; 0 where a listing
    /// never pays, because it carries little or a question costs hardly more than an entry.
    const ENTRIES_FOR_ONE: usize;
}
