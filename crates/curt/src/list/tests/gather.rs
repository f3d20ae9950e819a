use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fields::{Fields, Plan};
use crate::list::{Directory, DirectoryWalk, List};
use crate::{Calls, Threads, list};
use curt_testkit::Scratch;

const ALL: [Threads; 5] = [
    Threads::AtMost(1),
    Threads::AtMost(2),
    Threads::AtMost(4),
    Threads::AtMost(8),
    Threads::Automatic,
];

type Found = (String, Option<Result<u64, String>>);

fn files(scratch: &Scratch, count: usize) {
    scratch.dir("d");
    for number in 0..count {
        std::fs::write(scratch.at(format!("d/{number}")), &[b'x'; 100][..number % 100]).unwrap();
    }
}

fn sizes(scratch: &Scratch) -> List {
    list(scratch.at("d")).unwrap().fields(Fields::SIZE | Fields::LINKS)
}

fn size(entry: &crate::list::Entry<'_>) -> Result<u64, String> {
    let failed = entry.metadata().failures().next().map(|(_, error)| error.to_string());
    failed.map_or_else(|| Ok(entry.metadata().size().known().unwrap()), Err)
}

fn gather(list: &mut List, threads: Threads, vanishing: Option<&Scratch>) -> (Vec<Found>, Calls) {
    let mut all = Vec::new();
    let note = |name: &std::ffi::OsStr| {
        let name = name.to_str().unwrap().to_owned();
        let goes = name.ends_with('7');
        if let Some(scratch) = vanishing.filter(|_| goes) {
            std::fs::remove_file(scratch.at("d").join(&name)).unwrap();
        }
        (!name.ends_with('3')).then_some((name, None))
    };
    list.gather(threads, &mut all, note, |item, entry| {
        assert_eq!(item.0, entry.to_name().to_str().unwrap());
        assert!(item.1.is_none(), "completed twice");
        item.1 = Some(size(&entry));
    })
    .unwrap();
    (all, list.calls())
}

#[test]
fn results_and_calls_are_those_of_a_listing_entry_by_entry() {
    for count in [0, 1, 63, 129, 3_000] {
        let scratch = Scratch::new();
        files(&scratch, count);
        let mut expected = Vec::new();
        let mut one_by_one = sizes(&scratch);
        while let Some(entry) = one_by_one.next() {
            let entry = entry.unwrap();
            expected.push((entry.to_name().into_string().unwrap(), Some(size(&entry))));
        }
        let left_out = expected.iter().filter(|(name, _)| name.ends_with('3')).count() as u64;
        let done = expected.len() as u64;
        expected.retain(|(name, _)| !name.ends_with('3'));
        for threads in ALL {
            let mut list = sizes(&scratch);
            let (all, calls) = gather(&mut list, threads, None);
            assert!(all == expected, "{count} entries, {threads:?}");
            let processors = calls.of("sched_getaffinity");
            assert!(processors <= 1, "{calls:?}");
            let expected = one_by_one.calls().total();
            let for_entries = expected - calls_for_none(&scratch);
            let all_calls = calls.total() - processors + for_entries * left_out / done.max(1);
            let for_each = if cfg!(windows) { 3 } else { 2 };
            let (helpers, rest) =
                ((all_calls - expected) / for_each, (all_calls - expected) % for_each);
            assert_eq!(rest, 0, "{count} entries, {threads:?}: {calls:?}");
            if let Threads::AtMost(most) = threads {
                let most = most.min(all.len() / 64).saturating_sub(1) as u64;
                let is_expected = if cfg!(target_os = "linux") { u64::eq } else { u64::le };
                assert!(is_expected(&helpers, &most), "{count} entries, {threads:?}: {helpers}");
            }
            assert!(gather(&mut list, threads, None).0.is_empty(), "it was read to its end");
            list.reset().unwrap();
            assert_eq!(gather(&mut list, threads, None).0.len(), all.len());
        }
    }
}

fn calls_for_none(scratch: &Scratch) -> u64 {
    let mut list = sizes(scratch);
    let mut none = Vec::<()>::new();
    list.gather(Threads::AtMost(1), &mut none, |_| None, |(), _| {}).unwrap();
    list.calls().total()
}

#[test]
fn vanished_entries_fail_in_their_place() {
    for threads in ALL {
        let scratch = Scratch::new();
        files(&scratch, 2_000);
        let (all, _) = gather(&mut sizes(&scratch), threads, Some(&scratch));
        assert_eq!(all.len(), 1_800);
        for (name, found) in all {
            let number: u64 = name.parse().unwrap();
            assert_eq!(found.unwrap().ok(), (number % 10 != 7).then_some(number % 100), "{name}");
        }
    }
}

#[test]
fn small_directories_and_plain_listings_start_no_thread() {
    let scratch = Scratch::new();
    files(&scratch, 1_100);
    let caller = std::thread::current().id();
    let elsewhere = |plan: Fields, threads: Threads, most: usize| {
        let helped = AtomicUsize::new(0);
        let mut noted = 0;
        let mut list = Directory::open(scratch.at("d")).unwrap().list(plan);
        let note = |_: &std::ffi::OsStr| {
            noted += 1;
            (noted <= most).then_some(())
        };
        list.gather(threads, &mut Vec::new(), note, |(), _| {
            let is_helper = std::thread::current().id() != caller;
            helped.fetch_add(usize::from(is_helper), Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(noted, 1_100);
        helped.into_inner() > 0
    };
    assert!(!elsewhere(Fields::LINKS, Threads::Automatic, 1_023), "too few");
    assert!(!elsewhere(Fields::LINKS, Threads::AtMost(8), 127), "too few for a second part");
    assert!(!elsewhere(Fields::LINKS, Threads::AtMost(1), 1_100), "one thread was done for");
    assert!(!elsewhere(Fields::NAME | Fields::KIND, Threads::AtMost(8), 1_100), "nothing to ask");
    let mut runs = 0..1_000;
    assert!(
        runs.any(|_| elsewhere(Fields::LINKS, Threads::AtMost(8), 1_100)),
        "no thread ever helped"
    );
}

#[test]
fn a_panic_reaches_the_caller() {
    let scratch = Scratch::new();
    files(&scratch, 1_100);
    for threads in ALL {
        let done = AtomicUsize::new(0);
        let run = std::panic::AssertUnwindSafe(|| {
            let mut list = sizes(&scratch);
            let report = |(): &mut (), _: crate::list::Entry<'_>| {
                // Unlike `panic!`, `resume_unwind` prints no message.
                if done.fetch_add(1, Ordering::Relaxed) == 500 {
                    std::panic::resume_unwind(Box::new("on purpose"));
                }
            };
            let _ = list.gather(threads, &mut Vec::new(), |_| Some(()), report);
        });
        let panic = std::panic::catch_unwind(run).expect_err("it panics on purpose");
        assert_eq!(panic.downcast_ref(), Some(&"on purpose"), "{threads:?}");
    }
}

#[test]
fn small_buffers_are_gathered_in_order() {
    let scratch = Scratch::new();
    files(&scratch, 1_000);
    let small = || DirectoryWalk::new().buffer(16 << 10).open(scratch.at("d")).unwrap();
    let mut list = small().list(Plan::new(Fields::SIZE | Fields::LINKS));
    let (all, _) = gather(&mut list, Threads::AtMost(3), None);
    assert_eq!(all.len(), 900);
    assert!(all.iter().all(|(_, found)| found.as_ref().is_some_and(Result::is_ok)));
}
