//! All scenarios, in the order of the report: one file for each operation.

mod beneath;
mod expand;
mod list;
mod python;
mod remove;
mod stat;
mod usage;
mod walk;
mod which;

use crate::scenario::Scenario;

/// By operation.
pub(crate) static SCENARIOS: [&[Scenario]; 9] = [
    &remove::SCENARIOS,
    &list::SCENARIOS,
    &stat::SCENARIOS,
    &walk::SCENARIOS,
    &usage::SCENARIOS,
    &which::SCENARIOS,
    &expand::SCENARIOS,
    &beneath::SCENARIOS,
    &python::SCENARIOS,
];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Scenario> {
    SCENARIOS.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Part;
    use std::collections::HashSet;

    #[test]
    fn every_scenario_has_a_name_of_its_kind_and_one_curt() {
        let mut names = HashSet::new();
        for scenario in all() {
            assert!(names.insert(scenario.name), "{}", scenario.name);
            let part = |part| {
                let parts = scenario.contenders.iter().filter(move |one| one.part == part);
                parts.count()
            };
            assert_eq!(part(Part::Curt), 1, "{}", scenario.name);
            assert_eq!(scenario.contenders[0].part, Part::Curt, "{}", scenario.name);
            assert!(part(Part::Usual) > 0, "{}", scenario.name);
            let names: HashSet<_> = scenario.contenders.iter().map(|one| one.name).collect();
            assert_eq!(names.len(), scenario.contenders.len(), "{}", scenario.name);
        }
    }

    #[test]
    fn the_quick_table_fits_on_a_screen() {
        let rows = all().filter(|scenario| scenario.quick.is_some());
        let rows: usize = rows.map(|scenario| if scenario.everywhere { 2 } else { 1 }).sum();
        // With the titles of the columns and of three places.
        assert!(rows + 4 <= 25, "{rows}");
    }

    #[test]
    fn calls_are_counted_on_sizes_that_differ() {
        for scenario in all() {
            let [less, more] = scenario.counted.map(|size| scenario.units(size));
            let is_computed = matches!(scenario.question, crate::oracle::Question::Lengths(_));
            assert!(less < more || is_computed, "{}", scenario.name);
        }
    }
}
