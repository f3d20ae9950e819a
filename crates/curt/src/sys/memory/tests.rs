//! Race tests rely on the canary's check, which is tested here.

use super::World;

#[test]
#[should_panic(expected = "canary")]
fn a_harmed_canary_is_noticed() {
    let mut world = World::new();
    world.vanish("canary/nest/egg").assert_canary_lives();
}
