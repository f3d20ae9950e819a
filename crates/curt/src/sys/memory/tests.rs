//! Race tests rely on noticing harm, which is tested here. They assert themselves that their events
//! happen; the contract in `sys/tests` covers the rest of the platform.

use super::World;

#[test]
#[should_panic(expected = "canary")]
fn a_harmed_canary_is_noticed() {
    let mut world = World::new();
    world.vanish("canary/nest/egg").assert_canary_lives();
}
