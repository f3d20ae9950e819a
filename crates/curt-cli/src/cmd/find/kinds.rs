use curt::walk::Visited;
use curt::{Error, Fields, Kind};

use crate::out::entry::fields_if;
use crate::quote::quote;

/// The kinds to match (all if `any` is empty), optionally only executable or only empty entries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    any: Vec<Kind>,
    is_executable: bool,
    is_empty: bool,
}

/// fd's letters and words, and words that users of GNU find might try.
const KINDS: [(&[&str], Kind); 8] = [
    (&["f", "file"], Kind::File),
    (&["d", "dir", "directory"], Kind::Directory),
    (&["l", "symlink", "link"], Kind::Symlink),
    (&["p", "pipe", "fifo"], Kind::Fifo),
    (&["s", "socket"], Kind::Socket),
    (&["c", "char-device"], Kind::CharacterDevice),
    (&["b", "block-device"], Kind::BlockDevice),
    // `parse` also sets `is_executable`.
    (&["x", "executable"], Kind::File),
];

const RARE: [Kind; 6] = [
    Kind::Whiteout,
    Kind::Junction,
    Kind::VolumeMount,
    Kind::WslSymlink,
    Kind::AppExecLink,
    Kind::Unknown,
];

impl Kinds {
    pub(super) fn parse(words: &[String]) -> Result<Kinds, String> {
        let mut kinds = Kinds::default();
        for word in words.iter().map(String::as_str) {
            if matches!(word, "e" | "empty") {
                kinds.is_empty = true;
                continue;
            }
            kinds.is_executable |= matches!(word, "x" | "executable");
            let known = KINDS.iter().find(|(words, _)| words.contains(&word));
            let rare = || RARE.into_iter().find(|kind| kind.name() == word);
            kinds.any.push(known.map(|&(_, kind)| kind).or_else(rare).ok_or_else(|| {
                let known = "f, d, l, p, s, c, b, x and e, or words such as file and empty";
                format!("unknown type {}; the types are {known}", quote(word))
            })?);
        }
        if kinds.is_empty && !kinds.any.iter().any(|&kind| may_be_empty(kind)) {
            kinds.any.extend([Kind::File, Kind::Directory]);
        }
        Ok(kinds)
    }

    pub(super) fn matches_all(&self) -> bool {
        self.any.is_empty()
    }

    pub(super) fn fields(&self) -> Fields {
        fields_if(&[
            (self.is_empty, Fields::SIZE),
            (self.is_executable, Fields::EXECUTABLE),
            (self.need_target(), Fields::TARGET),
        ])
    }

    /// Returns whether to read symlink targets, because only these distinguish a junction from a
    /// mounted volume.
    fn need_target(&self) -> bool {
        self.any.iter().any(|kind| matches!(kind, Kind::Junction | Kind::VolumeMount))
    }

    pub(super) fn may_match(&self, kind: Kind) -> bool {
        if self.matches_all() {
            return true;
        }
        let may_be_volume = kind == Kind::Junction && self.need_target();
        (may_be_volume || self.has(kind)) && (!self.is_empty || may_be_empty(kind))
    }

    /// Returns whether an entry matches. Fails if the test must read a directory but cannot.
    pub(super) fn match_entry(&self, entry: &mut Visited<'_>) -> Result<bool, Error> {
        let metadata = entry.metadata();
        let passes = self.has(metadata.kind())
            && (!self.is_executable || metadata.executable().known() == Some(true));
        if passes && self.is_empty { is_empty(entry) } else { Ok(passes) }
    }

    fn has(&self, kind: Kind) -> bool {
        self.matches_all()
            || self.any.contains(&kind)
            || kind.is_link() && self.any.contains(&Kind::Symlink)
    }
}

fn may_be_empty(kind: Kind) -> bool {
    kind.is_file() || kind.is_dir()
}

fn is_empty(entry: &mut Visited<'_>) -> Result<bool, Error> {
    if entry.kind().is_dir() {
        return entry.is_empty();
    }
    Ok(entry.kind().is_file() && entry.metadata().size().known() == Some(0))
}

#[cfg(test)]
mod tests {
    use super::Kinds;
    use curt::Kind;

    #[test]
    fn kinds_are_parsed() {
        let kinds = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            Kinds::parse(&words).unwrap()
        };
        assert_eq!(kinds(&["e"]).any, [Kind::File, Kind::Directory]);
        assert_eq!(kinds(&["empty", "d"]).any, [Kind::Directory]);
        assert!(kinds(&["x", "d"]).may_match(Kind::File));
        assert!(!kinds(&["x"]).may_match(Kind::Directory));
        assert!(Kinds::parse(&["q".to_owned()]).is_err());
        assert!(kinds(&[]).may_match(Kind::Unknown));
        assert!(!kinds(&["e", "l"]).may_match(Kind::Symlink));
    }
}
