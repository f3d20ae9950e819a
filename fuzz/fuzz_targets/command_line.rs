//! Command lines of Windows: words that were put into a line come out of it, any line is taken
//! apart, and a line for a batch file holds nothing that ends it early.
#![no_main]

use curt_paths::command_line::{
    LONGEST_BATCH_LINE, batch, environment_block, image, is_batch, split,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let units: Vec<u16> = data.chunks(2).map(|pair| u16::from(pair[0]) | high(pair)).collect();
    // Any line at all.
    let _ = (split(&units), is_batch(&units));
    let words: Vec<&[u16]> = units.split(|&unit| unit == 0x0a).collect();
    let Some((program, words)) = words.split_first() else { return };
    if let Ok(line) = image(program, words) {
        let line: Vec<u16> = line.into_iter().filter(|&unit| unit != 0).collect();
        let all = split(&line);
        assert_eq!(all.first().map(Vec::as_slice), Some(*program));
        assert!(all[1..].iter().eq(words), "{words:?}");
    }
    if let Ok(line) = batch(program, words) {
        let text = line.strip_suffix(&[0]).unwrap_or(&line);
        assert!(!text.iter().any(|unit| [0, 0x0a, 0x0d].contains(unit)), "{text:?}");
        assert!(line.len() <= LONGEST_BATCH_LINE);
        let quotes = text.iter().filter(|&&unit| unit == u16::from(b'"')).count();
        assert_eq!(quotes % 2, 0, "{text:?}");
    }
    let pairs = words.chunks(2).map(|pair| (pair[0], pair[pair.len() - 1]));
    let _ = environment_block(pairs);
});

/// The upper half of a unit: nearly always none, so that letters are frequent.
fn high(pair: &[u8]) -> u16 {
    pair.get(1).map_or(0, |&byte| if byte > 0xd0 { u16::from(byte) << 8 } else { 0 })
}
