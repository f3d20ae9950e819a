//! The values of options of `curt ls`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// If standard output is a terminal.
    Auto,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// Those that start with a dot.
    #[default]
    Dotted,
    /// Only `.` and `..`.
    Dots,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Marks {
    None,
    /// A slash to directories.
    Slash,
    /// The kind, except for `*`.
    Kinds,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Long,
    OnePerLine,
    Columns,
    Across,
    Commas,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Name,
    None,
    Size,
    Time,
    Extension,
    Version,
    Width,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clock {
    Accessed,
    Changed,
    #[default]
    Modified,
    Created,
}

pub(super) const WHENS: [(&str, When); 9] = [
    ("always", When::Always),
    ("yes", When::Always),
    ("force", When::Always),
    ("never", When::Never),
    ("no", When::Never),
    ("none", When::Never),
    ("auto", When::Auto),
    ("tty", When::Auto),
    ("if-tty", When::Auto),
];

pub(super) const FORMATS: [(&str, Format); 7] = [
    ("long", Format::Long),
    ("verbose", Format::Long),
    ("across", Format::Across),
    ("horizontal", Format::Across),
    ("vertical", Format::Columns),
    ("commas", Format::Commas),
    ("single-column", Format::OnePerLine),
];

pub(super) const MARKS: [(&str, Marks); 4] = [
    ("none", Marks::None),
    ("slash", Marks::Slash),
    ("file-type", Marks::Kinds),
    ("classify", Marks::All),
];

pub(super) const SORTS: [(&str, Sort); 7] = [
    ("name", Sort::Name),
    ("none", Sort::None),
    ("size", Sort::Size),
    ("time", Sort::Time),
    ("extension", Sort::Extension),
    ("version", Sort::Version),
    ("width", Sort::Width),
];

pub(super) const CLOCKS: [(&str, Clock); 9] = [
    ("atime", Clock::Accessed),
    ("access", Clock::Accessed),
    ("use", Clock::Accessed),
    ("ctime", Clock::Changed),
    ("status", Clock::Changed),
    ("mtime", Clock::Modified),
    ("modification", Clock::Modified),
    ("birth", Clock::Created),
    ("creation", Clock::Created),
];
