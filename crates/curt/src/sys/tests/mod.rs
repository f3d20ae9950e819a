//! The contract, tested on every platform that runs here.

mod copying;
mod files;
mod listing;
mod others;
#[cfg(target_os = "linux")]
mod programs;
mod queries;
mod removal;
mod shorthand;
mod steps;
mod testbed;
mod which;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use self::testbed::{InMemory, Real, Testbed};
use crate::sys::Os;
use crate::sys::fault::Faults;
use crate::sys::memory::{Ending, Order, World};
#[cfg(windows)]
use crate::sys::windows::tests::set_up;
use crate::sys::{Features, Setup};

thread_local! {
    /// The missing features, and whether a setup was made since they were set.
    static LACKING: Cell<(Features, bool)> = const { Cell::new((Features::NONE, false)) };
    static FAILING: RefCell<Option<Arc<Faults>>> = const { RefCell::new(None) };
}

pub(super) fn lacking() -> Features {
    let (features, _) = LACKING.get();
    LACKING.set((features, true));
    features
}

/// Runs a test whose setups all lack these features.
///
/// # Panics
///
/// If the test makes no setup in this thread. Other threads are not affected.
#[cfg(unix)]
pub(crate) fn without(features: Features, test: impl FnOnce()) {
    LACKING.set((features, false));
    test();
    assert!(LACKING.replace((Features::NONE, false)).1, "no setup was made");
}

pub(super) fn failing() -> Option<Arc<Faults>> {
    FAILING.with_borrow(Option::clone)
}

pub(crate) fn failing_as<T>(setup: &Setup, test: impl FnOnce() -> T) -> T {
    FAILING.set(setup.faults.clone());
    let answer = test();
    FAILING.set(None);
    answer
}

pub(crate) fn as_here<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let features = lacking();
    move || {
        LACKING.set((features, false));
        work()
    }
}

#[cfg(unix)]
pub(crate) fn portably(test: impl FnOnce()) {
    without(Features::all(), test);
}

macro_rules! on_real_platforms {
    ($($name:ident),+ $(,)?) => {
        mod os {
            $(#[test] fn $name() { super::$name::<crate::sys::Os>(); })+
        }
        #[cfg(target_os = "linux")]
        mod portable {
            use crate::sys::tests::portably;
            $(#[test] fn $name() { portably(super::$name::<crate::sys::Os>); })+
        }
    };
}
pub(crate) use on_real_platforms;

/// Each test gets a new base directory, and must close every directory.
macro_rules! contract {
    ($platform:ident, $testbed:expr) => {
        contract!($platform, $testbed,
            listing::only_directories_are_opened,
            listing::listings_may_exceed_one_page,
            listing::listings_begin_again,
            listing::a_removed_directory_lists_nothing,
            listing::entries_are_removed_while_the_listing_goes_on,
            removal::removing_answers_what_was_there,
            removal::nothing_is_removed_through_a_link,
            removal::an_emptied_directory_is_finished,
            removal::a_directory_that_went_away_is_gone,
            others::metadata_is_of_the_entry_itself,
            others::the_working_directory_needs_no_opening,
            others::mounts_are_refused_or_crossed,
            others::a_shortage_is_no_failure,
            removal::planned_errors_are_the_answers,
            removal::everything_opened_is_closed,
            others::operands_are_split_by_text,
            queries::an_empty_name_names_nothing,
            queries::a_query_describes_an_entry,
            queries::a_query_follows_links_on_request,
            queries::link_loops_are_recognized,
            queries::listings_agree_with_queries,
            queries::paths_are_located_without_a_call,
            queries::directories_below_are_opened,
            queries::access_is_that_of_the_target,
            files::small_files_are_read,
            which::only_programs_are_executable,
            which::reading_a_head_does_not_wait,
            which::directories_are_opened_to_be_searched,
            which::names_match_in_any_case_of_letters,
            which::a_probe_returns_the_verdict_and_the_spelling,
            steps::a_step_enters_only_directories,
            steps::a_step_opens_files_and_no_links,
            steps::a_step_reads_links,
            steps::a_step_makes_directories_and_renames,
            steps::an_open_directory_is_called_as_it_is_called_now,
            copying::sources_are_opened_without_a_link,
            copying::content_is_copied_whole_or_stopped,
            copying::a_reflink_shares_all_or_nothing,
            copying::a_link_is_copied_as_it_is,
            copying::special_files_are_created_anew,
            copying::metadata_is_kept_on_request,
            copying::a_failure_to_close_a_written_file_is_told,
        );
    };
    ($platform:ident, $testbed:expr, $($file:ident::$case:ident,)*) => {
        mod $platform {
            use super::*;
            $(
                #[test]
                fn $case() {
                    let testbed = $testbed;
                    let sys = testbed.start();
                    let base = shorthand::base(&testbed, &sys);
                    $file::$case(&testbed, &base);
                    base.close();
                    drop(sys);
                    testbed.assert_nothing_open();
                }
            )*
        }
    };
}

#[cfg(target_os = "linux")]
contract!(linux, Real::<Os>::new(Setup::default(), "openat2"));
#[cfg(target_os = "linux")]
contract!(linux_of_old, {
    use crate::sys::Feature;
    let without = [Feature::Openat2, Feature::Statx];
    let without = without.into_iter().fold(Features::default(), Features::with);
    Real::<Os>::new(Setup { without, ..Setup::default() }, "openat")
});
#[cfg(unix)]
contract!(portable, {
    let setup = Setup { without: Features::all(), ..Setup::default() };
    Real::<Os>::new(setup, "openat")
});
#[cfg(windows)]
contract!(windows, Real::<Os>::new(Setup::default(), "NtOpenFile"));
#[cfg(windows)]
contract!(windows_by_name, Real::<Os>::new(set_up("by name"), "NtOpenFile"));
#[cfg(windows)]
contract!(windows_missed_by_name, Real::<Os>::new(set_up("missed by name"), "NtOpenFile"));
contract!(memory, InMemory::new(World::new()));
contract!(memory_with_exact_ends, {
    let mut world = World::new();
    world.rules.ending = Ending::Exact;
    world.rules.order = Order::Hashed;
    world.rules.reflinks = true;
    InMemory::new(world)
});
