use super::*;

fn number(cause: Cause) -> i32 {
    Error::new(Operation::Remove, PathBuf::from("x"), cause).errno()
}

#[test]
fn another_attempt_may_succeed() {
    let may_pass = |error: OsError| {
        Error::new(Operation::Remove, PathBuf::new(), Cause::Os(error.error())).may_pass()
    };
    assert!([OsError::Busy, OsError::NotEmpty, OsError::NotPermitted].into_iter().all(may_pass));
    assert!(![OsError::NotFound, OsError::Exists, OsError::Io].into_iter().any(may_pass));
    let may_pass =
        |reason| Error::new(Operation::Remove, PathBuf::new(), Cause::Remains(reason)).may_pass();
    assert!(may_pass(RemainReason::BeingWrittenTo) && !may_pass(RemainReason::RootDirectory));
}

/// The other refusals are in `tests/hostile.json`.
#[cfg(unix)]
#[test]
fn refusals_have_the_number_with_which_the_kernel_refuses_the_same() {
    let reasons = [
        (RemainReason::MountPoint, libc::EBUSY),
        (RemainReason::BeingWrittenTo, libc::ENOTEMPTY),
        (RemainReason::OtherFileSystem, libc::EXDEV),
    ];
    for (reason, expected) in reasons {
        assert_eq!(number(Cause::Remains(reason)), expected, "{reason:?}");
    }
    let refused = [(Refusal::Nul, libc::EINVAL), (Refusal::Encoding, libc::EXDEV)];
    for (refusal, expected) in refused {
        assert_eq!(number(Cause::Refused(refusal)), expected, "{refusal:?}");
    }
    let searches = [
        (FindCause::NotFound, libc::ENOENT),
        (FindCause::OnlyInWorkingDirectory, libc::ENOENT),
        (FindCause::NotExecutable, libc::EACCES),
        (FindCause::InvalidName("why"), libc::ENOENT),
        (FindCause::NameTooLong, libc::ENAMETOOLONG),
        (FindCause::LinkLoop, libc::ELOOP),
        (FindCause::RelativeResult, libc::ENOENT),
        (FindCause::DirectoryMissing, libc::ENOENT),
        (FindCause::PermissionDenied, libc::EACCES),
        (FindCause::Os(io::ErrorKind::InvalidInput.into()), libc::EINVAL),
        (FindCause::Os(io::Error::from_raw_os_error(libc::EIO)), libc::EIO),
    ];
    for (cause, expected) in searches {
        let shown = format!("{cause:?}");
        let not_found = NotFound::new(false, cause, None, Vec::new());
        assert_eq!(number(Cause::Find(not_found)), expected, "{shown}");
    }
    assert_eq!(number(Cause::Replaced), libc::ESTALE);
    assert_eq!(number(Cause::Loop(PathBuf::from("x"))), libc::ELOOP);
    assert_eq!(number(Cause::Bug("what")), libc::EIO);
}

fn removing(cause: Cause) -> Error {
    Error::new(Operation::Remove, PathBuf::from("x"), cause)
}

#[test]
fn refusals_have_the_kind_of_their_number() {
    let remains = |reason| removing(Cause::Remains(reason)).kind();
    assert_eq!(remains(RemainReason::MountPoint), io::ErrorKind::ResourceBusy);
    assert_eq!(remains(RemainReason::IsALink), io::ErrorKind::NotADirectory);
    assert_eq!(removing(Cause::Refused(Refusal::Escape)).kind(), io::ErrorKind::PermissionDenied);
    let own = Cause::Os(io::ErrorKind::FileTooLarge.into());
    assert_eq!(removing(own).kind(), io::ErrorKind::FileTooLarge);
    #[cfg(unix)]
    assert_eq!(removing(Cause::Replaced).kind(), io::ErrorKind::StaleNetworkFileHandle);
}

#[test]
fn the_reason_is_given_if_the_number_is_ambiguous() {
    let (system, own) = (|| OsError::NotFound.error(), || io::Error::other("own words"));
    let found = |cause| Cause::Find(NotFound::new(false, cause, None, Vec::new()));
    for cause in [
        Cause::Os(system()),
        Cause::Start(StartFailure::System, system()),
        Cause::Refused(Refusal::Empty),
        found(FindCause::Os(system())),
    ] {
        let error = removing(cause);
        assert_eq!(error.reason(), None, "{error}");
    }
    for (cause, reason) in [
        (Cause::Os(own()), "own words"),
        (Cause::Start(StartFailure::Directory, own()), "own words"),
        (Cause::Start(StartFailure::ProgramMissing, system()), "no such program"),
        (Cause::Refused(Refusal::Escape), "the path leaves the root directory"),
        (Cause::Remains(RemainReason::IsADirectory), "is a directory"),
        (Cause::Replaced, "another entry has replaced it"),
        (found(FindCause::NotFound), "not found in PATH"),
        (Cause::Bug("what"), "internal error: what"),
    ] {
        assert_eq!(removing(cause).reason().as_deref(), Some(reason));
    }
}

#[test]
fn what_a_removal_refuses_is_a_failed_rmdir() {
    assert_eq!(removing(Cause::Remains(RemainReason::MountPoint)).function(), "rmdir");
    assert_eq!(removing(Cause::Replaced).function(), "rmdir");
    assert_eq!(removing(Cause::Os(OsError::Busy.error())).function(), "lstat");
    let listed = Error::new(Operation::ReadDirectory, PathBuf::from("x"), Cause::Replaced);
    assert_eq!(listed.function(), "scandir");
}

#[cfg(unix)]
#[test]
fn errors_without_a_number_get_that_of_their_kind() {
    let kinds = [
        (io::ErrorKind::NotFound, libc::ENOENT),
        (io::ErrorKind::NotADirectory, libc::ENOTDIR),
        (io::ErrorKind::IsADirectory, libc::EISDIR),
        (io::ErrorKind::DirectoryNotEmpty, libc::ENOTEMPTY),
        (io::ErrorKind::CrossesDevices, libc::EXDEV),
        (io::ErrorKind::InvalidInput, libc::EINVAL),
        (io::ErrorKind::Unsupported, libc::ENOTSUP),
        (io::ErrorKind::Other, libc::EIO),
    ];
    for (kind, expected) in kinds {
        assert_eq!(number(Cause::Os(kind.into())), expected, "{kind:?}");
        assert_eq!(number(Cause::Start(StartFailure::System, kind.into())), expected, "{kind:?}");
    }
}

#[test]
fn errors_of_the_system_keep_their_number() {
    let error = || io::Error::from_raw_os_error(1_234);
    for cause in [
        Cause::Os(error()),
        Cause::Start(StartFailure::TextBusy, error()),
        Cause::Find(NotFound::new(false, FindCause::Os(error()), None, Vec::new())),
    ] {
        assert_eq!(number(cause), 1_234);
    }
}

#[test]
fn operations_are_named_like_their_variants() {
    use Operation::*;
    let all = [
        Remove,
        RemoveFile,
        RemoveDirectory,
        OpenDirectory,
        ReadDirectory,
        Stat,
        ReadLink,
        Access,
        ReadAttributes,
        ReadOwner,
        ReadFile,
        Open,
        CreateDirectory,
        CreateLink,
        SetPermissions,
        SetTimes,
        Rename,
        Canonicalize,
        Find,
        Start,
        Enter,
        Wait,
        Kill,
    ];
    for operation in all {
        let mut name = String::new();
        for letter in format!("{operation:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        assert_eq!(operation.name(), name);
    }
}
