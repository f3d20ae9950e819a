//! Compares ignore rules with the crate `ignore`, on generated trees.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use curt::Walk;
use curt::filters::IgnoreRules;
use curt_testkit::{Choices, Scratch};
use ignore::WalkBuilder;

fn ours(root: &Path, rules: &IgnoreRules) -> Vec<PathBuf> {
    let walk = Walk::new(root).ignore(rules.clone());
    let mut paths: Vec<_> = walk.iter().map(|entry| entry.unwrap().path).collect();
    paths.sort();
    paths
}

fn theirs(walk: &WalkBuilder) -> Vec<PathBuf> {
    let mut paths: Vec<_> = walk.build().map(|entry| entry.unwrap().into_path()).collect();
    paths.sort();
    paths
}

fn rules(choices: &mut Choices) -> String {
    const RULES: [&str; 12] = [
        "*.o", "!a.o", "/sub/", "sub/*.rs", "!b.rs", "b.rs", "deep", "!deep/", "/a.o", "*.rs",
        "!.dot", "**/c",
    ];
    let lines: Vec<_> = (0..=choices.below(3)).map(|_| choices.one_of(&RULES)).collect();
    lines.join("\n")
}

fn tree(choices: &mut Choices, scratch: &Scratch) {
    const RULE_FILES: [&str; 4] = [".gitignore", ".ignore", ".custom", ".other"];
    for directory in ["t", "t/sub", "t/deep", "t/sub/deep", "t/sub/deep/sub"] {
        for name in ["a.o", "b.rs", "c", ".dot"] {
            scratch.file(format!("{directory}/{name}"));
        }
        for name in RULE_FILES {
            if choices.below(3) == 0 {
                scratch.file_with(format!("{directory}/{name}"), rules(choices).as_bytes());
            }
        }
        if choices.below(4) == 0 {
            scratch.dir(format!("{directory}/.git"));
        }
    }
}

#[test]
fn custom_files_and_rules_without_a_work_tree_are_those_of_the_crate_ignore() {
    let mut choices = Choices::new(7);
    for round in 0..60 {
        let scratch = Scratch::new();
        tree(&mut choices, &scratch);
        let extra = scratch.file_with("extra", rules(&mut choices).replace('/', "").as_bytes());
        let other = scratch.file_with("other", rules(&mut choices).replace('/', "").as_bytes());
        let (root, require_git) = (scratch.at("t"), choices.below(2) == 0);
        let custom = [".custom", ".other"];
        let custom = &custom[..choices.below(3)];
        let mut rules = IgnoreRules::new().require_git(require_git);
        let mut builder = WalkBuilder::new(&root);
        builder.require_git(require_git).git_global(false);
        for name in custom {
            rules = rules.custom_file(*name);
            builder.add_custom_ignore_filename(name);
        }
        for file in &[extra, other][..choices.below(3)] {
            rules = rules.extra_file(file);
            assert!(builder.add_ignore(file).is_none());
        }
        assert_eq!(ours(&root, &rules), theirs(&builder), "{round}: {rules:?}");
    }
}

#[test]
fn an_extra_file_that_is_missing_is_an_error() {
    let scratch = Scratch::new();
    scratch.file("t/file");
    let missing = scratch.at("missing");
    let walk = Walk::new(scratch.at("t")).ignore(IgnoreRules::new().extra_file(&missing));
    let seen: Vec<_> = walk.iter().collect();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[1].as_ref().unwrap_err().path(), missing);
}

/// Runs itself as a child process, because variables cannot be set for one thread.
#[test]
fn rules_of_the_user_count_in_work_trees() {
    const NAME: &str = "rules_of_the_user_count_in_work_trees";
    const TREE: &str = "CURT_TEST_TREE";
    if let Some(tree) = std::env::var_os(TREE) {
        return rules_of_the_user(Path::new(&tree));
    }
    let scratch = Scratch::new();
    scratch.tree("", "t/repo/a.o t/repo/sub/b.rs t/repo/b.rs t/repo/kept t/a.o");
    scratch.dir("t/repo/.git");
    scratch.file_with("home/rules", b"*.o\n/b.rs\n!kept\n");
    scratch.file_with("home/.gitconfig", b"[core]\n\texcludesFile = ~/rules\n");
    scratch.file_with("own/git/ignore", b"kept\n");
    for (home, own) in [("home", "missing"), ("missing", "own")] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME])
            .env(TREE, scratch.at("t"))
            .env("HOME", scratch.at(home))
            .env("XDG_CONFIG_HOME", scratch.at(own))
            .env_remove("GIT_CONFIG_GLOBAL")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[cfg(unix)]
#[test]
fn files_that_the_user_names_may_be_links() {
    const NAME: &str = "files_that_the_user_names_may_be_links";
    const TREE: &str = "CURT_TEST_LINKED_TREE";
    if let Some(tree) = std::env::var_os(TREE) {
        let tree = Path::new(&tree);
        let rules = IgnoreRules::new().global(true).extra_file(tree.join("../extra"));
        let left = ["", ".git", "kept"].map(|name| tree.join(name));
        return assert_eq!(ours(tree, &rules.skip_hidden(false)), left);
    }
    let scratch = Scratch::new();
    scratch.tree("", "t/a.o t/b.rs t/kept");
    scratch.dir("t/.git");
    scratch.file_with("dotfiles/rules", b"*.o\n");
    scratch.file_with("dotfiles/extra", b"*.rs\n");
    scratch.file_with("dotfiles/config", b"[core]\n\texcludesFile = ~/rules\n");
    let tree = "home/ home/.gitconfig->../dotfiles/config home/rules->../dotfiles/rules \
         extra->dotfiles/extra";
    scratch.tree("", tree);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(TREE, scratch.at("t"))
        .env("HOME", scratch.at("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("GIT_CONFIG_GLOBAL")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));

    // A symlink is refused as an ignore file: it could name any file of the machine.
    scratch.link("t/.gitignore", "../dotfiles/rules");
    let walk = Walk::new(scratch.at("t")).ignore(IgnoreRules::new());
    assert_eq!(walk.iter().filter(Result::is_err).count(), 1);
}

/// Runs itself as a child process, because threads share the working directory.
#[test]
fn paths_in_extra_files_are_relative_to_the_working_directory() {
    const NAME: &str = "paths_in_extra_files_are_relative_to_the_working_directory";
    const BASE: &str = "CURT_TEST_BASE";
    if let Some(base) = std::env::var_os(BASE) {
        return rules_beside_the_working_directory(Path::new(&base));
    }
    let scratch = Scratch::new();
    for directory in ["up", "up/here", "up/here/sub", "up/here/build", "other"] {
        for name in ["build/file", "a.o", "name"] {
            scratch.file(format!("{directory}/{name}"));
        }
    }
    scratch.file_with("extra", b"/build\n*.o\nsub/name\n*/here/name\n*/*/name\n");
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(BASE, scratch.path())
        .current_dir(scratch.at("up/here"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn rules_beside_the_working_directory(base: &Path) {
    let rules = IgnoreRules::new().extra_file(base.join("extra"));
    let files = |operand: &str| -> Vec<String> {
        let base = std::env::current_dir().unwrap();
        let base = base.ancestors().nth(2).unwrap();
        let spelled = |path: PathBuf| path.strip_prefix(base).unwrap().display().to_string();
        let files = ours(&base.join(operand), &rules).into_iter().filter(|path| path.is_file());
        files.map(spelled).map(|path| path.replace('\\', "/")).collect()
    };
    assert_eq!(files("other"), ["other/build/file", "other/name"]);
    let below = ["up/here/name", "up/here/sub/build/file"];
    assert_eq!(files("up/here"), below);
    assert_eq!(files("up"), ["up/build/file", below[0], below[1], "up/name"]);
    assert_eq!(files("up/here/sub"), below[1..]);
}

fn rules_of_the_user(tree: &Path) {
    let names = |rules: IgnoreRules| -> Vec<String> {
        let spelled = |path: PathBuf| path.strip_prefix(tree).unwrap().display().to_string();
        let files = ours(tree, &rules).into_iter().filter(|path| path.is_file()).map(spelled);
        files.map(|path| path.replace('\\', "/")).collect()
    };
    let all = ["a.o", "repo/a.o", "repo/b.rs", "repo/kept", "repo/sub/b.rs"];
    assert_eq!(names(IgnoreRules::new()), all);
    let has_config = Path::new(&std::env::var_os("HOME").unwrap()).exists();
    let global = IgnoreRules::new().global(true);
    let (left, everywhere): (&[&str], &[&str]) = if has_config {
        (&["a.o", "repo/kept", "repo/sub/b.rs"], &["repo/kept", "repo/sub/b.rs"])
    } else {
        (&["a.o", "repo/a.o", "repo/b.rs", "repo/sub/b.rs"], &all[..3])
    };
    assert_eq!(names(global.clone()), left);
    if has_config {
        assert_eq!(names(global.require_git(false)), everywhere);
    }
}
