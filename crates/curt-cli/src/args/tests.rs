use super::*;

#[test]
fn definitions_are_sound() {
    Cli::command().debug_assert();
}

#[test]
fn every_field_is_explained() {
    for text in [help::fields_help!(""), topics::text("fields").unwrap()] {
        let is_end = |letter: char| !letter.is_alphanumeric() && letter != '-';
        let words: Vec<&str> = text.split(is_end).collect();
        for (name, _) in curt::Fields::ALL.iter() {
            assert!(words.contains(&name), "{name}: {text}");
        }
    }
}

/// Checks that an option that needs another one is refused without it, even beside an option that
/// conflicts with the missing one.
fn check_needs<T: Options>(name: &str) {
    let define = || T::augment_args(clap::Command::new("curt"));
    let mut built = define();
    built.build();
    let typed = |id: &str| {
        let option = built.get_arguments().find(|option| option.get_id() == id).unwrap();
        let mut word = format!("--{}", option.get_long()?);
        if option.get_num_args().is_some_and(|number| number.min_values() > 0) {
            let value =
                option.get_possible_values().first().map(|value| value.get_name().to_owned());
            word = format!("{word}={}", value.unwrap_or_else(|| "1".to_owned()));
        }
        Some(OsString::from(word))
    };
    for &(id, needed) in T::NEEDS {
        let others = built.get_arguments().map(|option| option.get_id().as_str());
        for other in others.filter(|other| ![needed, "help", "version"].contains(other)) {
            let words = ["curt".into()].into_iter().chain(typed(id)).chain(typed(other));
            let words: Vec<OsString> = words.chain(["x".into()]).collect();
            let error = read_by::<T>(&mut define(), None, &words).err().map(|it| it.to_string());
            let reasons = [" needs --", "cannot be used", "were not provided"];
            let is_refused = |error: &String| reasons.iter().any(|it| error.contains(it));
            assert!(error.as_ref().is_some_and(is_refused), "{name} {words:?}: {error:?}");
        }
    }
    for option in built.get_arguments() {
        assert!(format!("{option:?}").contains("requires: []"), "{name}: use NEEDS: {option:?}");
    }
}

#[test]
fn options_need_their_required_options() {
    check_needs::<RmOptions>("rm");
    check_needs::<FindOptions>("find");
    check_needs::<LsOptions>("ls");
    check_needs::<StatOptions>("stat");
    check_needs::<DuOptions>("du");
    check_needs::<WhichOptions>("which");
    check_needs::<RunOptions>("run");
    check_needs::<RealpathOptions>("realpath");
    check_needs::<ReadlinkOptions>("readlink");
    check_needs::<ExpandOptions>("expand");
    check_needs::<BeneathOptions>("beneath");
}

#[test]
fn operands_that_bypass_clap_are_the_same() {
    let many = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
    for line in [
        many.to_owned(),
        format!("-rf {many}"),
        format!("-r -- {many}"),
        format!("{many} -v"),
        format!("{many} --exclude {many}"),
        format!("--exclude -- {many}"),
        format!("-- {many} -v {many}"),
        format!("-r {many} - {many}"),
        format!("--files0-from list {many}"),
        format!("--files0-from {many}"),
        format!("--retries {many}"),
        format!("--nothing {many}"),
    ] {
        let words: Vec<OsString> = "rm".split(' ').chain(line.split(' ')).map(Into::into).collect();
        let all = read_all::<RmOptions>("rm", &words).ok();
        assert_eq!(read("rm", words).ok(), all, "{line}");
    }
    let words = format!("rm -r {many}");
    let options: RmOptions = read("rm", words.split(' ').map(Into::into).collect()).ok().unwrap();
    assert_eq!(options.operands, many.split(' ').collect::<Vec<_>>());
}
