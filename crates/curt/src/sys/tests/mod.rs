//! What the contract says, asked of every platform that runs here. `cases.rs` holds the questions,
//! `ground.rs` what they are asked on: true directories, or the tree in memory.

mod cases;
mod ground;

use self::ground::{Imagined, Real};
use crate::sys::memory::{Ending, Order, World};
use crate::sys::other::Other;
use crate::sys::{Feature, Features, Setup};
#[cfg(target_os = "linux")]
use crate::sys::linux::Linux;
#[cfg(unix)]
use crate::sys::posix::Posix;

/// Asks every question of a platform.
macro_rules! contract {
    ($platform:ident, $ground:expr) => {
        contract!($platform, $ground,
            only_directories_are_opened,
            what_is_being_listed_need_not_fit_one_page,
            listings_begin_again,
            entries_are_removed_while_the_listing_goes_on,
            removing_answers_what_was_there,
            nothing_is_removed_through_a_link,
            an_emptied_directory_is_finished,
            a_directory_with_entries_is_handed_back,
            a_directory_that_went_away_is_gone,
            directories_move_and_replace_nothing,
            metadata_is_of_the_entry_itself,
            the_working_directory_needs_no_opening,
            mounts_are_refused_or_crossed,
            a_shortage_is_no_failure,
            planned_errors_are_the_answers,
            everything_opened_is_closed,
            operands_are_taken_apart_by_text,
        );
    };
    ($platform:ident, $ground:expr, $($case:ident,)*) => {
        mod $platform {
            use super::*;
            $(
                #[test]
                fn $case() {
                    cases::$case(&$ground);
                }
            )*
        }
    };
}

#[cfg(target_os = "linux")]
contract!(linux, Real::<Linux>::new(Setup::default(), "openat2"));
#[cfg(target_os = "linux")]
contract!(linux_closing_in_ranges, {
    Real::<Linux>::new(Setup { retire: 8, ..Setup::default() }, "openat2")
});
#[cfg(target_os = "linux")]
contract!(linux_of_old, {
    let without = [Feature::Openat2, Feature::Statx, Feature::CloseRange, Feature::ShortListing];
    let without = without.into_iter().fold(Features::default(), Features::with);
    Real::<Linux>::new(Setup { without, ..Setup::default() }, "openat")
});
#[cfg(unix)]
contract!(posix, Real::<Posix>::new(Setup::default(), "openat"));
contract!(other, Real::<Other>::new(Setup::default(), "read_dir"));
contract!(memory, Imagined::new(World::new()));
contract!(memory_with_exact_ends, {
    let mut world = World::new();
    world.rules.ending = Ending::Exact;
    world.rules.order = Order::Hashed;
    Imagined::new(world)
});
