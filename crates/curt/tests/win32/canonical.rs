use curt::canonical::{Canonicalizer, Missing};
use curt_testkit::Scratch;

#[test]
fn names_are_spelled_as_on_the_disk_and_have_no_prefix() {
    let scratch = Scratch::new();
    scratch.file(r"Dir\File");
    let names = Canonicalizer::new().missing(Missing::Anything);
    let base = names.find(scratch.typed()).unwrap();
    assert!(!base.to_str().unwrap().starts_with(r"\\?\"), "{base:?}");
    let typed = |path: &str| names.find(scratch.typed().join(path)).unwrap();
    assert_eq!(typed(r"DIR\.\..\dir/FILE"), base.join(r"Dir\File"));
    assert_eq!(typed(r"dir\New\X"), base.join(r"Dir\New\X"));
}

#[test]
fn names_that_programs_would_change_keep_the_prefix() {
    let scratch = Scratch::new();
    let names = Canonicalizer::new().missing(Missing::LastName);
    let base = scratch.typed().canonicalize().unwrap();
    for name in ["dot.", "space "] {
        let path = base.join(name);
        std::fs::write(&path, "").unwrap();
        let found = names.find(&path).unwrap();
        // Wine drops the dot or space, so the name needs no prefix.
        let spelled = path.canonicalize().unwrap();
        let is_changed = spelled.to_str().unwrap().ends_with(['.', ' ']);
        assert_eq!(found.to_str().unwrap().starts_with(r"\\?\"), is_changed, "{found:?}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn links_may_resolve_to_missing_names() {
    let scratch = Scratch::new();
    scratch.dir("dir");
    let Some(link) = scratch.link_to_dir("link", "dir") else { return };
    let names = Canonicalizer::new().missing(Missing::LastName);
    let base = names.find(scratch.typed()).unwrap();
    assert_eq!(names.find(link.join("new")).unwrap(), base.join("dir").join("new"));
    scratch.link_to_dir("broken", r"dir\gone");
    let broken = scratch.typed().join("broken");
    assert_eq!(names.find(&broken).unwrap(), base.join("dir").join("gone"));
    assert!(names.find(broken.join("x")).is_err());
}
