//! Parses the generated header as plain text.

/// Opaque structs are left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    kind: String,
}

impl Struct {
    pub(super) fn begins_with_size(&self) -> bool {
        self.fields.first().is_some_and(|field| field.name == "size" && field.kind == "size_t")
    }

    /// Returns an initializer: zeros, but `sizeof` for a leading `size`.
    pub(super) fn initializer(&self, all: &[Struct]) -> String {
        let fields = self.fields.iter().enumerate().map(|(at, field)| {
            if at == 0 && self.begins_with_size() {
                return format!("sizeof({})", self.name);
            }
            if field.name == "entry_size" {
                return "sizeof(curt_entry)".to_owned();
            }
            match all.iter().find(|inner| inner.name == field.kind) {
                Some(inner) => inner.initializer(all),
                None if field.kind.ends_with(['*', '(']) => "NULL".to_owned(),
                None if field.kind.ends_with(']') => "{ 0 }".to_owned(),
                None => "0".to_owned(),
            }
        });
        format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
    }
}

pub(super) fn structs(header: &str) -> Vec<Struct> {
    let text = without_comments(header);
    let mut structs = Vec::new();
    for part in text.split("typedef struct {").skip(1) {
        let Some((body, rest)) = part.split_once("\n} ") else { continue };
        let name = rest.split(';').next().unwrap_or_default().to_owned();
        let fields = body.split(';').filter_map(|field| self::field(field.trim()));
        structs.push(Struct { name, fields: fields.collect() });
    }
    structs
}

pub(crate) fn functions(header: &str) -> Vec<String> {
    let text = without_comments(header);
    let declarations = text.split("\nCURT_API").skip(1);
    let names = declarations.filter_map(|declaration| declaration.split_once('('));
    let names = names.filter_map(|(start, _)| start.rsplit([' ', '*', '\n']).next());
    names.map(str::to_owned).collect()
}

pub(super) fn constants(header: &str) -> Vec<String> {
    let names = header.lines().filter_map(|line| line.strip_prefix("#define "));
    let numbers = names.filter_map(|line| line.split_once(' ')).filter(|(_, v)| is_number(v));
    numbers.map(|(name, _)| name.to_owned()).collect()
}

fn is_number(value: &str) -> bool {
    let digits = value.trim_start_matches(['(', '-']);
    digits.starts_with(|letter: char| letter.is_ascii_digit()) || digits.starts_with("UINT")
}

/// Parses a field, such as `const uint8_t *kinds` or `int (*poll)(void *context)`.
fn field(declaration: &str) -> Option<Field> {
    let (before, after) = match declaration.split_once("(*") {
        Some((_, callback)) => {
            return callback
                .split_once(')')
                .map(|(name, _)| Field { name: name.to_owned(), kind: "(".to_owned() });
        }
        None => declaration.split_at(declaration.find('[').unwrap_or(declaration.len())),
    };
    let at = before.rfind([' ', '*'])? + 1;
    let (kind, name) = before.split_at(at);
    Some(Field { name: name.to_owned(), kind: format!("{}{after}", kind.trim()) })
}

fn without_comments(header: &str) -> String {
    let mut text = String::new();
    let mut rest = header;
    while let Some((before, comment)) = rest.split_once("/*") {
        text.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "#define CURT_A -1\n#define CURT_API __declspec(dllimport)\n\
        #define CURT_MOST UINT32_MAX\n\
        typedef struct curt_dir curt_dir;\n\
        /* of; two */\ntypedef struct {\n  /** The text. */\n  const char *ptr;\n  \
        size_t len;\n} curt_str;\n\
        typedef struct {\n  size_t size;\n  curt_str path;\n  uint64_t id[2];\n  \
        uint32_t entry_size;\n  int (*poll)(void *context);\n} curt_all;\n\
        CURT_API int curt_a(void);\n/** b */\nCURT_API\nconst char *curt_b(int x,\n    int y);\n";

    #[test]
    fn structs_have_their_fields() {
        let structs = structs(HEADER);
        let names: Vec<&str> = structs[1].fields.iter().map(|field| &*field.name).collect();
        assert_eq!(names, ["size", "path", "id", "entry_size", "poll"]);
        assert_eq!(structs[0].initializer(&structs), "{ NULL, 0 }");
        let all = "{ sizeof(curt_all), { NULL, 0 }, { 0 }, sizeof(curt_entry), NULL }";
        assert_eq!(structs[1].initializer(&structs), all);
    }

    #[test]
    fn functions_and_constants_are_named() {
        assert_eq!(functions(HEADER), ["curt_a", "curt_b"]);
        assert_eq!(constants(HEADER), ["CURT_A", "CURT_MOST"]);
    }
}
