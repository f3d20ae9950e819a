use curt::Fields;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// Only on a terminal.
    Auto,
    Never,
}

impl When {
    /// Returns whether the feature is on. For `Auto`, the answer is `auto`.
    pub(crate) fn applies(self, auto: bool) -> bool {
        self == When::Always || self == When::Auto && auto
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// Names that begin with a dot are hidden.
    #[default]
    Dotted,
    /// `.` and `..` are hidden.
    Dots,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Marks {
    None,
    Slash,
    /// Print an indicator for each kind, but no `*` after executable files.
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

pub(super) const TIMES: [(&str, Fields); 9] = [
    ("atime", Fields::ACCESSED),
    ("access", Fields::ACCESSED),
    ("use", Fields::ACCESSED),
    ("ctime", Fields::CHANGED),
    ("status", Fields::CHANGED),
    ("mtime", Fields::MODIFIED),
    ("modification", Fields::MODIFIED),
    ("birth", Fields::CREATED),
    ("creation", Fields::CREATED),
];
