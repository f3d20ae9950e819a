//! Parses Wine's "relay" log, which records calls between modules.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub(super) type Counts = BTreeMap<String, i64>;

/// The counted functions. Waits are left out, because their number is random.
const CALLS: &[&str] = &[
    "NtAssignProcessToJobObject",
    "NtClose",
    "NtCreateFile",
    "NtCreateJobObject",
    "NtCreateUserProcess",
    "NtDeleteFile",
    "NtDeviceIoControlFile",
    "NtDuplicateObject",
    "NtFlushBuffersFile",
    "NtFsControlFile",
    "NtLockFile",
    "NtNotifyChangeDirectoryFile",
    "NtOpenFile",
    "NtOpenSymbolicLinkObject",
    "NtQueryAttributesFile",
    "NtQueryDirectoryFile",
    "NtQueryDirectoryFileEx",
    "NtQueryEaFile",
    "NtQueryFullAttributesFile",
    "NtQueryInformationByName",
    "NtQueryInformationFile",
    "NtQueryInformationProcess",
    "NtQueryObject",
    "NtQuerySecurityObject",
    "NtQuerySymbolicLinkObject",
    "NtQueryVolumeInformationFile",
    "NtReadFile",
    "NtReadVirtualMemory",
    "NtResumeThread",
    "NtSetEaFile",
    "NtSetInformationFile",
    "NtSetInformationJobObject",
    "NtSetInformationObject",
    "NtSetInformationProcess",
    "NtSetSecurityObject",
    "NtSetVolumeInformationFile",
    "NtUnlockFile",
    "NtWriteFile",
    "NtWriteVirtualMemory",
];

/// Uses the runner of Cargo's tests, because it retries after a crash of Wine.
pub(super) fn set_up(runner: &Path) -> String {
    let calls: Vec<String> = CALLS.iter().map(|call| format!("ntdll.{call}")).collect();
    format!("runner='{}' calls='{}'\n{SET_UP}", runner.display(), calls.join(";"))
}

/// Clears `RelayExclude`, because by default Wine omits calls from some of its modules.
const SET_UP: &str = r#"
set_debug() {
    sh -eu "$runner" reg add 'HKCU\Software\Wine\Debug' /v "$1" /t REG_SZ /d "$2" /f >/dev/null
}
set_debug RelayInclude "$calls"
set_debug RelayExclude ''
set_debug RelayFromExclude ''
"#;

/// Defines `run FOLDER COMMAND…`, which writes messages and Wine's log to `FOLDER.log`, and the
/// status to `FOLDER.status`.
pub(super) const RUN: &str = r#"
run() {
    folder=$1 status=0
    shift
    (cd "$folder" && WINEDEBUG=-all,+pid,+relay exec wine "$@") \
        </dev/null >/dev/null 2>"$folder.log" || status=$?
    echo "$status" >"$folder.status"
}
"#;

/// Counts calls as [`count`] does. Arguments: the file for the counts, the program and its
/// arguments.
pub(super) const COUNT: &str = r#"
file=$1 status=0
shift
WINEDEBUG=-all,+pid,+relay wine "$@" 2>"$file.log" || status=$?
awk '
    /:Call ntdll\./ {
        process = substr($0, 1, index($0, ":"))
        if (own == "") own = process
        if (process != own) next
        sub(/^.*:Call ntdll\./, "")
        sub(/\(.*/, "")
        counts[$0]++
    }
    END { for (name in counts) print counts[name], name }
' "$file.log" | sort -k2 >"$file"
exit "$status"
"#;

pub(super) fn left_by(folder: &Path) -> [String; 2] {
    ["status", "log"].map(|ending| {
        let bytes = fs::read(folder.with_extension(ending)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

pub(super) fn fell_over(log: &str) -> bool {
    log.lines().any(|line| line.starts_with("wine client error:"))
}

const CALL: &str = ":Call ntdll.";

pub(super) fn count(log: &str) -> Counts {
    let mut counts = Counts::new();
    let mut own = None;
    for (head, call) in log.lines().filter_map(|line| line.split_once(CALL)) {
        let process = head.split(':').next();
        if *own.get_or_insert(process) == process {
            let name = call.split('(').next().unwrap_or_default();
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

pub(super) fn counted_itself(log: &str) -> Option<Counts> {
    let (_, calls) = log.rsplit_once("\"calls\":{")?;
    let (calls, _) = calls.split_once('}')?;
    let pairs = calls.split(',').filter_map(|pair| pair.split_once(':'));
    let numbers = pairs.filter_map(|(name, count)| {
        let name = name.trim().trim_matches('"').to_owned();
        Some((name, count.trim().parse().ok()?))
    });
    Some(numbers.filter(|(name, _)| CALLS.contains(&name.as_str())).collect())
}

pub(super) fn difference(more: &Counts, less: &Counts) -> Counts {
    let names = more.keys().chain(less.keys());
    let of = |counts: &Counts, name: &String| counts.get(name).copied().unwrap_or(0);
    let all = names.map(|name| (name.clone(), of(more, name) - of(less, name)));
    all.filter(|&(_, count)| count != 0).collect()
}

pub(super) fn complaint(log: &str) -> &str {
    let said = |line: &&str| {
        let wines = ["Call ", "Ret ", ":trace:"].iter().any(|part| line.contains(part));
        !wines && !line.trim().is_empty()
    };
    log.lines().rfind(said).unwrap_or("nothing was said")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "0020:0138:trace:relay:load_list L\"RelayInclude\" = L\"ntdll.NtClose\"\n\
        0020:0138:Call PE DLL (proc=00006FFFFFC31BD0,reason=PROCESS_ATTACH)\n\
        0020:0138:Call ntdll.NtClose(00000060) ret=6fffff40861b\n\
        0020:0138:Ret  ntdll.NtClose() retval=00000000 ret=6fffff40861b\n\
        0020:013c:Call ntdll.NtClose(00000060) ret=6fffff40861b\n\
        rm: it is there\n\
        0024:0150:Call ntdll.NtOpenFile(7ffffe377368) ret=6fffff40861b\n";

    #[test]
    fn calls_are_counted_and_returns_are_not() {
        assert_eq!(count(LOG), Counts::from([("NtClose".to_owned(), 2)]));
    }

    #[test]
    fn what_the_program_said_is_found() {
        assert_eq!(complaint(LOG), "rm: it is there");
        assert_eq!(complaint(""), "nothing was said");
    }

    #[test]
    fn that_wine_fell_over_is_in_its_log() {
        assert!(!fell_over(LOG));
        assert!(fell_over(&format!("{LOG}wine client error:0: recvmsg: Connection reset\n")));
    }

    #[test]
    fn own_counts_are_read() {
        let text =
            "x\n{\"summary\":{\"files\":1,\"calls\":{\"NtClose\":7,\"now\":1,\"total\":8}}}\n";
        assert_eq!(counted_itself(text), Some(Counts::from([("NtClose".to_owned(), 7)])));
        assert_eq!(counted_itself("nothing"), None);
    }

    #[test]
    fn differences_have_a_sign_and_no_zeros() {
        let more = Counts::from([("a".to_owned(), 3), ("b".to_owned(), 1)]);
        let less = Counts::from([("b".to_owned(), 1), ("c".to_owned(), 2)]);
        let rest = Counts::from([("a".to_owned(), 3), ("c".to_owned(), -2)]);
        assert_eq!(difference(&more, &less), rest);
    }
}
