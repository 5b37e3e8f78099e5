//! Count the pixels of a mask, and find the boxes around different pixels.

use crate::boxes::{Extent, Grid, TILE};
use crate::difference::{ANTI_ALIASED, DIFFERENT, SLIGHT};
use crate::regions::{IgnoredPixels, Rectangle};

/// The numbers of pixels of a mask.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Different ones outside ignored regions.
    pub different: u64,
    /// Different ones in ignored regions.
    pub ignored: u64,
    /// Anti-aliased ones outside ignored regions.
    pub anti_aliased: u64,
    /// Anti-aliased ones in ignored regions.
    pub ignored_anti_aliased: u64,
    /// Pixels that differ by no more than the threshold.
    pub slight: u64,
    /// All pixels outside ignored regions.
    pub compared: u64,
}

/// Count the pixels of a mask of rows of `width` pixels; return the tiles of different ones, too.
pub fn summarize(mask: &[u8], width: usize, rectangles: &[Rectangle]) -> (Counts, Grid) {
    let mut counts = Counts { compared: mask.len() as u64, ..Counts::default() };
    let mut grid = Grid::new(width, mask.len() / width);
    let mut ignored = IgnoredPixels::new(rectangles, width);
    for (y, row) in mask.chunks_exact(width).enumerate() {
        let flags = ignored.row(y);
        if let Some(flags) = flags {
            counts.compared -= flags.iter().filter(|flag| **flag).count() as u64;
        }
        if !is_blank(row) {
            summarize_row(row, y, flags, &mut counts, &mut grid);
        }
    }
    (counts, grid)
}

/// Return whether nothing is marked.
pub fn is_blank(marks: &[u8]) -> bool {
    // Parts without a branch for each byte; the first mark ends the search.
    marks.chunks(256).all(|part| part.iter().fold(0, |all, mark| all | mark) == 0)
}

fn summarize_row(
    row: &[u8],
    y: usize,
    flags: Option<&[bool]>,
    counts: &mut Counts,
    grid: &mut Grid,
) {
    for (column, tile) in row.chunks(TILE).enumerate() {
        if is_blank(tile) {
            continue;
        }
        let left = column * TILE;
        match flags.map(|flags| &flags[left..left + tile.len()]) {
            Some(flags) => count_ignoring(tile, flags, counts),
            None => count(tile, counts),
        }
        let counted =
            |at: &usize| tile[*at] == DIFFERENT && !flags.is_some_and(|flags| flags[left + *at]);
        if let Some(first) = (0..tile.len()).find(counted) {
            let last = (0..tile.len()).rev().find(counted).unwrap_or(first);
            grid.add(column, y, Extent::of_row(left + first, left + last, y));
        }
    }
}

fn count(tile: &[u8], counts: &mut Counts) {
    let of = |value: u8| tile.iter().map(|mark| u8::from(*mark == value)).sum::<u8>();
    counts.different += u64::from(of(DIFFERENT));
    counts.anti_aliased += u64::from(of(ANTI_ALIASED));
    counts.slight += u64::from(of(SLIGHT));
}

fn count_ignoring(tile: &[u8], flags: &[bool], counts: &mut Counts) {
    for (mark, flag) in tile.iter().zip(flags) {
        let counter = match (*mark, *flag) {
            (DIFFERENT, false) => &mut counts.different,
            (DIFFERENT, true) => &mut counts.ignored,
            (ANTI_ALIASED, false) => &mut counts.anti_aliased,
            (ANTI_ALIASED, true) => &mut counts.ignored_anti_aliased,
            (SLIGHT, _) => &mut counts.slight,
            _ => continue,
        };
        *counter += 1;
    }
}
