//! What the tests of races rely on: harm is noticed. That events happen, they assert themselves;
//! the rest of the platform is tested by its contract, in `sys/tests`.

use super::World;

#[test]
#[should_panic(expected = "canary")]
fn a_harmed_canary_is_noticed() {
    let mut world = World::new();
    world.vanish("canary/nest/egg").assert_canary_lives();
}
