use super::{image_interpreter, interpreter};

#[test]
fn a_script_names_its_interpreter() {
    for (head, path, carriage_return) in [
        ("#!/bin/sh\necho", "/bin/sh", false),
        ("#! /usr/bin/env python3\n", "/usr/bin/env", false),
        ("#!/bin/sh\r\necho", "/bin/sh", true),
        ("#!\t/a -x\r\n", "/a", false),
        ("#!/no/end", "/no/end", false),
    ] {
        let found = interpreter(head.as_bytes()).unwrap();
        assert_eq!(found, (path.into(), carriage_return), "{head:?}");
    }
    for none in ["", "#", "#!", "#!  ", "echo"] {
        assert_eq!(interpreter(none.as_bytes()), None, "{none:?}");
    }
}

#[test]
fn an_image_names_its_loader() {
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let loader = image_interpreter(&own[..own.len().min(super::HEAD)]);
    if let Some(loader) = loader {
        let path = std::str::from_utf8(loader).unwrap();
        assert!(std::path::Path::new(path).exists(), "{path}");
    }
    for length in 0..own.len().min(1 << 10) {
        let _ = image_interpreter(&own[..length]);
        let mut changed = own[..super::HEAD.min(own.len())].to_vec();
        changed[length.min(super::HEAD - 1)] ^= 0xff;
        let _ = image_interpreter(&changed);
    }
}
