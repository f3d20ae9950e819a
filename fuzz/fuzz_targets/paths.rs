//! Checks three properties: expanding a full POSIX path, or folding a folded path, does not change
//! it; UTF-8 and UTF-16 agree; and paths that pass the check remain beneath their base directory.
#![no_main]

use curt_paths::{Aliases, DotDot, Env, Expander, Flavor, Fold, PathCheck, Release, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for (flavor, base) in [(Flavor::Posix, "/srv/data"), (Flavor::Windows, r"D:\srv\data")] {
        for style in [Style::Native, Style::Ruby] {
            let expander = Expander::new(Env::none())
                .flavor(flavor)
                .release(Release::Windows11)
                .style(style)
                .tilde(false)
                .base(base);
            let Ok(full) = expander.expand(data) else { continue };
            // On Windows, expanding again may trim further: the result of `x /.` ends in a space.
            let again = expander.expand(&full).ok();
            assert!(again.is_some(), "{flavor:?} {style:?}");
            if flavor == Flavor::Posix && style == Style::Native {
                assert_eq!(again.as_deref(), Some(&*full));
            }
            if let Ok(text) = std::str::from_utf8(data) {
                let wide: Vec<u16> = text.encode_utf16().collect();
                let wide = expander.expand(&wide).map(|full| String::from_utf16_lossy(&full));
                assert_eq!(wide.as_deref().map(str::as_bytes), Ok(&*full), "{flavor:?}");
            }
        }
        let fold = Fold::new(flavor).dot_dot(DotDot::Keep);
        if let Ok(folded) = fold.fold(data) {
            assert_eq!(fold.fold(&folded).as_deref(), Ok(&*folded), "{flavor:?}");
        } else {
            assert!(data.contains(&0));
        }
        for aliases in [Aliases::Open, Aliases::Strict] {
            let check = PathCheck::new(flavor).release(Release::Windows11).aliases(aliases);
            let name = check.name(data);
            assert_eq!(name.is_ok(), check.check(data).is_ok(), "{flavor:?} {aliases:?}");
            let Ok(name) = name else { continue };
            let is_up = |part: &[u8]| part == b"..";
            let separates =
                |byte: &u8| *byte == b'/' || (flavor == Flavor::Windows && *byte == b'\\');
            assert!(!name.split(separates).any(is_up), "{flavor:?}: {name:?}");
            assert!(!name.first().is_some_and(separates), "{flavor:?}: {name:?}");
        }
    }
});
