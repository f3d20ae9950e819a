//! The one value of a git configuration that ignore rules need.

/// Returns the value of `core.excludesFile`, the last one if there are several.
pub(super) fn excludes_file(text: &[u8]) -> Option<Vec<u8>> {
    let (mut is_core, mut found) = (false, None);
    for line in text.split(|&byte| byte == b'\n') {
        let mut line = line.trim_ascii();
        if line.first() == Some(&b'[') {
            let Some(end) = line.iter().position(|&byte| byte == b']') else { continue };
            is_core = line[1..end].eq_ignore_ascii_case(b"core");
            line = line[end + 1..].trim_ascii();
        }
        let Some(equals) = line.iter().position(|&byte| byte == b'=') else { continue };
        if is_core && line[..equals].trim_ascii().eq_ignore_ascii_case(b"excludesfile") {
            found = Some(value(line[equals + 1..].trim_ascii()));
        }
    }
    found
}

/// Returns a value without its quotes, escapes, and the comment that follows it.
fn value(text: &[u8]) -> Vec<u8> {
    let (mut value, mut is_quoted, mut kept) = (Vec::new(), false, 0);
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'#' | b';' if !is_quoted => break,
            b'\\' => match bytes.next() {
                Some(b'n') => value.push(b'\n'),
                Some(b't') => value.push(b'\t'),
                escaped => value.extend(escaped),
            },
            _ => value.push(byte),
        }
        // Spaces at the end count if they are quoted.
        if is_quoted || !byte.is_ascii_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use super::excludes_file;

    #[test]
    fn excludes_file_is_read_as_git_reads_it() {
        for (text, expected) in [
            ("[core]\nexcludesFile = ~/ignore\n", Some("~/ignore")),
            ("[Core]\n\tEXCLUDESFILE=\"/a b/#c\"  # comment\r\n", Some("/a b/#c")),
            ("[core] excludesfile = /x ; comment", Some("/x")),
            ("[core]\nexcludesfile = /x\n[user]\nexcludesfile = /y\n", Some("/x")),
            ("[core]\nexcludesfile = /x\nexcludesfile = \"c:\\\\y\"\n", Some("c:\\y")),
            ("[core \"sub\"]\nexcludesfile = /x\n", None),
            ("# excludesfile = /x\n[core]\n# excludesfile = /y\n", None),
            ("[core]\nexcludesfile =\n", Some("")),
        ] {
            let found =
                excludes_file(text.as_bytes()).map(|value| String::from_utf8(value).unwrap());
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }
}
