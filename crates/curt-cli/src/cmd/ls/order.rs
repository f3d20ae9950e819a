use std::cmp::Ordering;

use curt::fields::Time;

use super::item::Item;
use super::settings::Order;
use super::version;
use crate::args::Sort;

/// A sort key. A separate array of keys avoids accessing and moving entries, which took most of the
/// time.
struct Key {
    /// The size, the time, or the first bytes of the name or extension; inverted for a reversed
    /// order. Entries of equal rank are compared in full.
    rank: u128,
    index: usize,
}

/// Returns the indices of the entries in sorted order. `widths` has the widths of the names, for
/// `--sort=width`. As in GNU ls, `--reverse` also reverses the order by name of otherwise equal
/// entries.
pub(super) fn indices(items: &[Item], order: Order, widths: &[usize]) -> Vec<usize> {
    if order.by == Sort::None {
        return (0..items.len()).collect();
    }
    let key = |(index, item): (usize, &Item)| {
        let rank = match order.by {
            Sort::Width => widths[index] as u128,
            by => rank(item, by),
        };
        Key { rank: if order.is_reversed { !rank } else { rank }, index }
    };
    let in_full = |one: &Key, other: &Key| {
        let (one, other) = if order.is_reversed { (other, one) } else { (one, other) };
        let (one, other) = (&items[one.index], &items[other.index]);
        let first = match order.by {
            Sort::Extension => extension(one).cmp(extension(other)),
            Sort::Version => {
                version::compare(one.name.as_encoded_bytes(), other.name.as_encoded_bytes())
            }
            _ => Ordering::Equal,
        };
        first.then_with(|| one.name.as_encoded_bytes().cmp(other.name.as_encoded_bytes()))
    };
    let mut keys: Vec<Key> = items.iter().enumerate().map(key).collect();
    // Sort by rank first: comparing numbers takes a third of the instructions, and equal ranks are
    // rare.
    keys.sort_unstable_by_key(|key| key.rank);
    for same in keys.chunk_by_mut(|one, other| one.rank == other.rank) {
        same.sort_unstable_by(|one, other| {
            in_full(one, other).then_with(|| one.index.cmp(&other.index))
        });
    }
    if order.directories_first {
        keys.sort_by_key(|key| !items[key.index].leads_to_directory());
    }
    keys.iter().map(|key| key.index).collect()
}

/// Returns the rank of an entry; the lowest comes first.
fn rank(item: &Item, sort: Sort) -> u128 {
    match sort {
        Sort::Size => !u128::from(item.columns.size.unwrap_or(0)),
        Sort::Time => {
            // As in GNU ls, an unknown birth time is just before 1970.
            let unknown = if item.is_failed() { 0 } else { -1 };
            let time = item.columns.time.unwrap_or(Time { seconds: unknown, nanoseconds: 0 });
            let seconds = time.seconds.abs_diff(i64::MIN);
            !(u128::from(seconds) << 32 | u128::from(time.nanoseconds))
        }
        Sort::Extension => prefix(extension(item)),
        // A rank cannot express versions, and only the caller knows the widths.
        Sort::Version | Sort::Width => 0,
        Sort::Name | Sort::None => prefix(item.name.as_encoded_bytes()),
    }
}

/// Returns the first bytes of a text as a number with the same order.
fn prefix(text: &[u8]) -> u128 {
    let mut bytes = [0; size_of::<u128>()];
    let length = text.len().min(bytes.len());
    bytes[..length].copy_from_slice(&text[..length]);
    u128::from_be_bytes(bytes)
}

fn extension(item: &Item) -> &[u8] {
    let name = item.name.as_encoded_bytes();
    name.iter().rposition(|&byte| byte == b'.').map_or(&[], |dot| &name[dot..])
}

#[cfg(test)]
mod tests {
    use std::cmp::{Ordering, Reverse};

    use super::{Order, extension, indices};
    use crate::args::Sort;
    use crate::cmd::ls::item::{Columns, Item};
    use curt::Kind;
    use curt::fields::Time;

    #[test]
    fn extensions_begin_with_the_last_dot() {
        for (name, expected) in [("a.tar.gz", ".gz"), ("a", ""), (".b", ".b"), ("a.", ".")] {
            let item = Item::unknown(name.into(), Kind::File);
            assert_eq!(extension(&item), expected.as_bytes());
        }
    }

    fn expected_order(items: &[Item], order: Order) -> Vec<&Item> {
        let name = |item: &Item| item.name.clone().into_encoded_bytes();
        let mut items: Vec<&Item> = items.iter().collect();
        items.sort_by(|&one, &other| {
            let is_other = |item: &Item| order.directories_first && item.kind != Kind::Directory;
            let groups = is_other(one).cmp(&is_other(other));
            let (one, other) = if order.is_reversed { (other, one) } else { (one, other) };
            let first = match order.by {
                Sort::Size => Reverse(one.columns.size).cmp(&Reverse(other.columns.size)),
                Sort::Time => Reverse(one.columns.time).cmp(&Reverse(other.columns.time)),
                Sort::Extension => extension(one).cmp(extension(other)),
                Sort::Version => super::version::compare(&name(one), &name(other)),
                Sort::Width => name(one).len().cmp(&name(other).len()),
                Sort::Name | Sort::None => Ordering::Equal,
            };
            groups.then(first).then_with(|| name(one).cmp(&name(other)))
        });
        items
    }

    #[test]
    fn sorts_entries_with_common_parts() {
        let mut state = 1_u32;
        let mut number = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let items: Vec<Item> = (0..2_000)
            .map(|_| {
                let parts = ["", "a", "b.", ".tar", "sixteen-bytes-in", "\u{e9}", "\u{1}"];
                let parts: Vec<&str> = (0..number(5)).map(|_| parts[number(7) as usize]).collect();
                let kind = [Kind::File, Kind::Directory, Kind::Symlink][number(3) as usize];
                let seconds = [i64::MIN, -1, 0, 1, i64::MAX][number(5) as usize];
                let time = Time { seconds, nanoseconds: number(2) * 999_999_999 };
                let size = [0, 1, 255, 256, u64::MAX][number(5) as usize];
                let (size, time) = (Some(size), Some(time));
                let columns = Columns { time, size, ..Columns::default() };
                Item { columns, ..Item::unknown(parts.concat().into(), kind) }
            })
            .collect();
        let widths: Vec<usize> = items.iter().map(|item| item.name.len()).collect();
        for by in [Sort::Name, Sort::Size, Sort::Time, Sort::Extension, Sort::Version, Sort::Width]
        {
            for (is_reversed, directories_first) in
                [(false, false), (true, false), (false, true), (true, true)]
            {
                let order = Order { by, is_reversed, directories_first };
                let found =
                    indices(&items, order, &widths).into_iter().map(|at| &raw const items[at]);
                let plain = expected_order(&items, order).into_iter().map(std::ptr::from_ref);
                assert!(found.eq(plain), "{order:?}");
            }
        }
        let order = Order { by: Sort::None, is_reversed: true, directories_first: true };
        assert!(indices(&items, order, &widths).into_iter().eq(0..items.len()));
    }
}
