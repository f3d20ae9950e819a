//! Matches patterns of git, of shells, and of GNU's `fnmatch`.
//!
//! Patterns may be untrusted, so matching must not take exponential time, as it does in a recursive
//! matcher. This matcher parses the pattern while it matches, without recursion or memory. A `*`
//! first matches as few characters as possible, then one more each time the rest fails. Only the
//! last `*` of a name and the last `**` are retried, because they can absorb whatever an earlier
//! star could. So the time is polynomial.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Git,
    /// The syntax of shells. Matches characters, and only `**` matches a slash. Ambiguous patterns
    /// are errors.
    Shell,
    /// The `fnmatch` of the GNU C library. Matches characters, and wildcards match slashes, too.
    Gnu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Unclosed,
    Trailing,
    Class,
    Symbol,
    Range,
}

impl Fault {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Fault::Unclosed => "unclosed bracket, or a slash in brackets",
            Fault::Trailing => "trailing backslash",
            Fault::Class => "unknown character class; [:alpha:] is one",
            Fault::Symbol => "[.a.] and [=a=] take a single character",
            Fault::Range => "reversed range in brackets",
        }
    }
}

#[derive(Clone, Copy)]
enum Token<'p> {
    One(u32),
    Any,
    Class(Class<'p>),
    Star,
    Deep,
    /// `**/`, which matches nothing or any text that ends in a slash.
    Directories,
}

#[derive(Clone, Copy)]
struct Class<'p> {
    is_negated: bool,
    low: [u128; 2],
    /// The text between the brackets. It is parsed again for characters beyond the first 256.
    body: &'p [u8],
}

enum Member {
    Range(u32, u32),
    Kind(Kind),
}

#[derive(Clone, Copy)]
enum Kind {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
}

const INVALID: u32 = 0x11_0000;

const SLASH: u32 = b'/' as u32;

#[derive(Clone, Copy, Debug)]
pub(super) struct Matcher {
    pub(super) dialect: Dialect,
    pub(super) ignores_case: bool,
    pub(super) reads_bytes: bool,
}

pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

impl Matcher {
    /// Returns the length of a pattern's ending (the part after its last star) and the number of
    /// bytes that the ending matches. Returns zeros if that number varies.
    pub(super) fn ending(self, pattern: &[u8]) -> Result<(usize, usize), Fault> {
        let (mut at, mut begin, mut width) = (0, 0, Some(0));
        while let Some((token, next)) = self.token(pattern, at)? {
            width = match token {
                Token::Star | Token::Deep | Token::Directories => {
                    begin = next;
                    Some(0)
                }
                Token::One(one) if self.reads_bytes || one < 128 => width.map(|width| width + 1),
                Token::Any | Token::Class(_) if self.reads_bytes => width.map(|width| width + 1),
                _ => None,
            };
            at = next;
        }
        Ok(width.map_or((0, 0), |width| (pattern.len() - begin, width)))
    }

    pub(super) fn has_ending(self, text: &[u8], ending: &[u8], width: usize) -> bool {
        let Some(from) = text.len().checked_sub(width) else { return false };
        let mut at = 0;
        text[from..].iter().all(|&byte| {
            self.token(ending, at).ok().flatten().is_some_and(|(token, next)| {
                at = next;
                self.takes(token, byte.into())
            })
        })
    }

    pub(super) fn matches(self, pattern: &[u8], begin: usize, text: &[u8]) -> bool {
        let (mut at, mut read) = (begin, 0);
        // Where to resume in the pattern and the text, for the last `*` and the last `**`.
        let mut star: Option<(usize, usize)> = None;
        let mut deep: Option<(usize, usize, bool)> = None;
        // Cache the last parsed class, because it may be long and used for many characters.
        let mut class: Option<(usize, (Token<'_>, usize))> = None;
        loop {
            let element = match class {
                Some((index, element)) if index == at => Some(element),
                _ => self.token(pattern, at).ok().flatten(),
            };
            if let Some(element @ (Token::Class(_), _)) = element {
                class = Some((at, element));
            }
            match element {
                None if read == text.len() => return true,
                Some((Token::Star, next)) => {
                    star = Some((next, read));
                    at = next;
                    continue;
                }
                Some((token @ (Token::Deep | Token::Directories), next)) => {
                    deep = Some((next, read, matches!(token, Token::Directories)));
                    (star, at) = (None, next);
                    continue;
                }
                Some((token, next)) => {
                    if let Some((one, width)) = self.character(text, read) {
                        if self.takes(token, one) {
                            (at, read) = (next, read + width);
                            continue;
                        }
                    }
                }
                None => {}
            }
            if let Some((next, from)) = star {
                let literal =
                    pattern.get(next).filter(|&&it| !is_special(it) && !self.ignores_case);
                let after = |&from: &usize| {
                    let (one, width) = self.character(text, from)?;
                    self.takes(Token::Any, one).then_some(from + width)
                };
                let mut places = std::iter::successors(after(&from), after);
                if let Some(from) = places.find(|&at| literal.is_none() || text.get(at) == literal)
                {
                    star = Some((next, from));
                    (at, read) = (next, from);
                    continue;
                }
            }
            let Some((next, from, whole_names)) = deep else { return false };
            let more = if whole_names {
                text[from..].iter().position(|&byte| byte == b'/').map(|slash| slash + 1)
            } else {
                self.character(text, from).map(|(_, width)| width)
            };
            let Some(more) = more else { return false };
            deep = Some((next, from + more, whole_names));
            (star, at, read) = (None, next, from + more);
        }
    }

    fn character(self, text: &[u8], at: usize) -> Option<(u32, usize)> {
        let rest = text.get(at..)?;
        let &first = rest.first()?;
        if first.is_ascii() || self.reads_bytes {
            return Some((first.into(), 1));
        }
        let valid = rest[..rest.len().min(4)].utf8_chunks().next()?.valid();
        let character = valid.chars().next();
        Some(character.map_or((INVALID + u32::from(first), 1), |it| (it.into(), it.len_utf8())))
    }

    /// Like git, folds only the text, to lower case, so an upper-case letter in brackets or after a
    /// backslash never matches.
    fn folds_as_git(self) -> bool {
        self.ignores_case && self.dialect == Dialect::Git
    }

    fn takes(self, token: Token<'_>, one: u32) -> bool {
        let in_name = one != SLASH || self.dialect == Dialect::Gnu;
        match token {
            Token::One(only) if self.folds_as_git() => only == self.lower(one),
            Token::One(only) => {
                only == one || self.ignores_case && self.lower(only) == self.lower(one)
            }
            Token::Any => in_name,
            Token::Class(class) => in_name && self.has(class, one),
            Token::Star | Token::Deep | Token::Directories => false,
        }
    }

    fn has(self, class: Class<'_>, one: u32) -> bool {
        let has = |one: u32| {
            if let Ok(low) = u8::try_from(one) {
                return (class.low[usize::from(low >> 7)] >> (low & 127)) & 1 == 1;
            }
            let mut is_member = false;
            let _ = self.brackets(class.body, |member| is_member |= self.is_in(&member, one));
            is_member
        };
        if self.folds_as_git() {
            return has(self.lower(one)) != class.is_negated;
        }
        let is_member =
            has(one) || self.ignores_case && (has(self.lower(one)) || has(self.upper(one)));
        is_member != class.is_negated
    }

    fn is_in(self, member: &Member, one: u32) -> bool {
        match *member {
            Member::Range(first, last) => (first..=last).contains(&one),
            Member::Kind(kind) => self.is_kind(kind, one),
        }
    }

    fn lower(self, one: u32) -> u32 {
        self.folded(one, char::to_lowercase)
    }

    fn upper(self, one: u32) -> u32 {
        self.folded(one, char::to_uppercase)
    }

    /// Folds a character if the result is a single character. Folds a byte only if it is ASCII.
    fn folded<C: ExactSizeIterator<Item = char>>(self, one: u32, fold: fn(char) -> C) -> u32 {
        let it = char::from_u32(one).filter(|it| it.is_ascii() || !self.reads_bytes);
        let folded = it.map(fold).filter(|folded| folded.len() == 1);
        folded.and_then(|mut folded| folded.next()).map_or(one, u32::from)
    }

    /// Returns whether a character has this kind. Bytes above ASCII have none.
    fn is_kind(self, kind: Kind, one: u32) -> bool {
        // Git's `[:space:]` lacks the vertical tab and the form feed.
        let is_blank = matches!((self.dialect, kind), (Dialect::Git, Kind::Space));
        let is_folded = self.folds_as_git() && matches!(kind, Kind::Upper);
        char::from_u32(one).is_some_and(|it| {
            (it.is_ascii() || !self.reads_bytes)
                && !(is_blank && matches!(it, '\x0b' | '\x0c'))
                && (kind.has(it) || is_folded && it.is_ascii_lowercase())
        })
    }

    /// Parses the element at an index. Also returns the next index.
    fn token(self, pattern: &[u8], at: usize) -> Result<Option<(Token<'_>, usize)>, Fault> {
        let Some((one, width)) = self.character(pattern, at) else { return Ok(None) };
        let rest = &pattern[at..];
        Ok(Some(match rest[0] {
            b'?' => (Token::Any, at + 1),
            b'\\' => match self.character(pattern, at + 1) {
                Some((escaped, width)) => (Token::One(escaped), at + 1 + width),
                None => return Err(Fault::Trailing),
            },
            b'[' => match self.class(&rest[1..]) {
                Ok((class, length)) => (Token::Class(class), at + 1 + length),
                Err(Fault::Unclosed) if self.dialect == Dialect::Gnu => (Token::One(one), at + 1),
                Err(fault) => return Err(fault),
            },
            b'*' => {
                let length = rest.iter().take_while(|&&byte| byte == b'*').count();
                let next = at + length;
                let begins_name = at.checked_sub(1).is_none_or(|before| pattern[before] == b'/');
                match &rest[length..] {
                    _ if length < 2 || !begins_name || self.dialect == Dialect::Gnu => {
                        (Token::Star, next)
                    }
                    [b'/', ..] => (Token::Directories, next + 1),
                    [] | [b'\\', b'/', ..] => (Token::Deep, next),
                    _ => (Token::Star, next),
                }
            }
            _ if self.folds_as_git() => (Token::One(self.lower(one)), at + width),
            _ => (Token::One(one), at + width),
        }))
    }

    fn class(self, body: &[u8]) -> Result<(Class<'_>, usize), Fault> {
        let mut low = [0_u128; 2];
        let mut add = |first: u32, last: u32| {
            for (part, base) in low.iter_mut().zip([0, 128]) {
                let (first, last) = (first.max(base), last.min(base + 127));
                if first <= last {
                    *part |= (u128::MAX >> (127 - (last - first))) << (first - base);
                }
            }
        };
        let (is_negated, length) = self.brackets(body, |member| match member {
            Member::Range(first, last) => {
                add(first, last);
                if self.folds_as_git() && first < last {
                    add(first.max(65) + 32, last.min(90) + 32);
                }
            }
            Member::Kind(kind) => {
                (0..256).filter(|&one| self.is_kind(kind, one)).for_each(|one| add(one, one));
            }
        })?;
        Ok((Class { is_negated, low, body }, length))
    }

    fn brackets(self, body: &[u8], mut add: impl FnMut(Member)) -> Result<(bool, usize), Fault> {
        let is_negated = matches!(body.first(), Some(b'!' | b'^'));
        let begin = usize::from(is_negated);
        let mut at = begin;
        loop {
            if body.get(at) == Some(&b']') && at > begin {
                return Ok((is_negated, at + 1));
            }
            if let Some(name) = self.kind_name(body, at)? {
                add(Member::Kind(Kind::named(name).ok_or(Fault::Class)?));
                at += name.len() + 4;
                continue;
            }
            let (first, next) = self.member(body, at)?;
            at = next;
            let is_range = body.get(at) == Some(&b'-') && body.get(at + 1) != Some(&b']');
            if is_range && at + 1 == body.len() && self.dialect == Dialect::Gnu {
                // glibc treats an unclosed bracket as literal, except in this case.
                return Err(Fault::Range);
            }
            let last = if is_range && at + 1 < body.len() {
                if self.dialect == Dialect::Shell && self.kind_name(body, at + 1)?.is_some() {
                    return Err(Fault::Range);
                }
                let (last, next) = self.member(body, at + 1)?;
                at = next;
                last
            } else {
                first
            };
            match (first <= last, self.dialect) {
                (true, _) => add(Member::Range(first, last)),
                (false, Dialect::Shell) => return Err(Fault::Range),
                // Git adds the first character of a range before it parses the range.
                (false, Dialect::Git) => add(Member::Range(first, first)),
                (false, Dialect::Gnu) => {}
            }
        }
    }

    fn kind_name(self, body: &[u8], at: usize) -> Result<Option<&[u8]>, Fault> {
        let Some(rest) = body[at..].strip_prefix(b"[:") else { return Ok(None) };
        if self.dialect == Dialect::Git {
            let length = rest.iter().position(|&byte| byte == b']').ok_or(Fault::Unclosed)?;
            return Ok(rest[..length].strip_suffix(b":"));
        }
        let name = until(rest, *b":]");
        let is_name = |name: &&[u8]| name.iter().all(u8::is_ascii_lowercase);
        match name {
            Some(name) if is_name(&name) => Ok(Some(name)),
            _ if self.dialect == Dialect::Shell => Err(Fault::Class),
            _ => Ok(None),
        }
    }

    fn member(self, body: &[u8], at: usize) -> Result<(u32, usize), Fault> {
        let (one, width) = self.character(body, at).ok_or(Fault::Unclosed)?;
        let (next, rest) = (at + width, &body[at + width..]);
        match (one.try_into(), rest.first()) {
            (Ok(b'\\'), _) => {
                let (escaped, width) = self.character(body, next).ok_or(Fault::Unclosed)?;
                Ok((escaped, next + width))
            }
            (Ok(b'['), Some(&sign @ (b'.' | b'='))) if self.dialect != Dialect::Git => {
                let symbol = until(&rest[1..], [sign, b']']);
                match symbol.map(|symbol| (symbol.len(), self.character(symbol, 0))) {
                    Some((length, Some((only, width)))) if width == length => {
                        Ok((only, next + width + 3))
                    }
                    symbol
                        if sign == b'=' && (symbol.is_none() || self.dialect == Dialect::Gnu) =>
                    {
                        Ok((one, next))
                    }
                    _ => Err(Fault::Symbol),
                }
            }
            _ => Ok((one, next)),
        }
    }
}

fn until(text: &[u8], end: [u8; 2]) -> Option<&[u8]> {
    text.windows(2).position(|pair| *pair == end).map(|length| &text[..length])
}

impl Kind {
    fn named(name: &[u8]) -> Option<Kind> {
        Some(match name {
            b"alnum" => Kind::Alnum,
            b"alpha" => Kind::Alpha,
            b"blank" => Kind::Blank,
            b"cntrl" => Kind::Cntrl,
            b"digit" => Kind::Digit,
            b"graph" => Kind::Graph,
            b"lower" => Kind::Lower,
            b"print" => Kind::Print,
            b"punct" => Kind::Punct,
            b"space" => Kind::Space,
            b"upper" => Kind::Upper,
            b"xdigit" => Kind::Xdigit,
            _ => return None,
        })
    }

    fn has(self, it: char) -> bool {
        let is_graphic = |it: char| !it.is_control() && !it.is_whitespace();
        match self {
            Kind::Alnum => it.is_alphanumeric(),
            Kind::Alpha => it.is_alphabetic(),
            Kind::Blank => matches!(it, ' ' | '\t'),
            Kind::Cntrl => it.is_control(),
            Kind::Digit => it.is_ascii_digit(),
            Kind::Graph => is_graphic(it),
            Kind::Lower => it.is_lowercase(),
            Kind::Print => it == ' ' || is_graphic(it),
            Kind::Punct => is_graphic(it) && !it.is_alphanumeric(),
            Kind::Space => it.is_whitespace(),
            Kind::Upper => it.is_uppercase(),
            Kind::Xdigit => it.is_ascii_hexdigit(),
        }
    }
}
