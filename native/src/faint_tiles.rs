//! Find squares of pixels in which all becomes darker, or all brighter: text of another color.

use crate::boxes::TILE;
use crate::difference::DIFFERENT;
use crate::faint_pair::{is_candidate, largest, Color, Pair, CODE};
use crate::regions::{IgnoredPixels, Rectangle};

/// Of a tile with text: pixels, their mean difference, and the share with one direction.
const LEAST_PIXELS: i64 = 8;
const LEAST_MEAN: i64 = 8;
const LEAST_PERCENT: i64 = 97;
/// One part of so many different pixels has a color not there before.
const MOST_PER_NEW: i64 = 6;

/// The pixels of a square, outside ignored regions.
#[derive(Clone, Copy, Default)]
struct Tile {
    /// Pixels with a difference above rounding and up to the threshold.
    count: i64,
    strength: i64,
    /// Differences of all pixels, and the number of differences above the threshold.
    changed: i64,
    different: i64,
    sum: [i64; 3],
    absolute: i64,
}

/// All squares of the part in both images.
pub struct Tiles {
    columns: usize,
    rows: usize,
    tiles: Vec<Tile>,
}

impl Tiles {
    /// Squares without any difference.
    pub fn new((width, height): (usize, usize)) -> Self {
        let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
        Self { columns, rows, tiles: vec![Tile::default(); columns * rows] }
    }

    /// Add a differing pixel.
    pub fn add(&mut self, x: usize, y: usize, code: u8, delta: Color) {
        let tile = &mut self.tiles[y / TILE * self.columns + x / TILE];
        let strength = largest(delta);
        if is_candidate(code, delta) {
            tile.count += 1;
            tile.strength += i64::from(strength);
        }
        tile.changed += i64::from(strength);
        tile.different += i64::from(code == DIFFERENT);
        for (sum, value) in tile.sum.iter_mut().zip(delta) {
            *sum += i64::from(value);
            tile.absolute += i64::from(value.abs());
        }
    }

    /// Flag the tiles whose pixels all become darker or all brighter, not only at edges.
    ///
    /// Neighboring tiles are flagged, too, where their pixels do the same: the rest of a word.
    pub fn select(&self, pair: &Pair, rectangles: &[Rectangle], mask: &[u8]) -> Vec<bool> {
        let mut flags = vec![false; self.tiles.len()];
        for (index, tile) in self.tiles.iter().enumerate() {
            let (column, row) = (index % self.columns, index / self.columns);
            if tile.is_strong()
                && tile.is_consistent()
                && !self.any_around(column, row, |near| near.different > 0)
                && self.has_new_colors(pair, rectangles, mask, (column, row))
            {
                self.for_each_around(column, row, |near| {
                    flags[near] |= near == index || self.tiles[near].is_consistent();
                });
            }
        }
        flags
    }

    fn for_each_around(&self, column: usize, row: usize, mut visit: impl FnMut(usize)) {
        for near_row in row.saturating_sub(1)..(row + 2).min(self.rows) {
            for near_column in column.saturating_sub(1)..(column + 2).min(self.columns) {
                visit(near_row * self.columns + near_column);
            }
        }
    }

    fn any_around(&self, column: usize, row: usize, is_one: impl Fn(&Tile) -> bool) -> bool {
        let mut found = false;
        self.for_each_around(column, row, |near| found |= is_one(&self.tiles[near]));
        found
    }

    fn has_new_colors(
        &self,
        pair: &Pair,
        rectangles: &[Rectangle],
        mask: &[u8],
        (column, row): (usize, usize),
    ) -> bool {
        let mut strength = 0;
        let mut ignored = IgnoredPixels::new(rectangles, pair.width);
        for y in row * TILE..((row + 1) * TILE).min(pair.shared.1) {
            let flags = ignored.row(y);
            for x in column * TILE..((column + 1) * TILE).min(pair.shared.0) {
                let is_counted =
                    mask[y * pair.width + x] & CODE != 0 && !flags.is_some_and(|flags| flags[x]);
                if is_counted && pair.has_new_luma(x, y) {
                    strength += i64::from(largest(pair.delta(x, y)));
                }
            }
        }
        strength * MOST_PER_NEW >= self.tiles[row * self.columns + column].changed
    }
}

impl Tile {
    fn is_strong(&self) -> bool {
        self.count >= LEAST_PIXELS && self.strength >= LEAST_MEAN * self.count
    }

    fn is_consistent(&self) -> bool {
        let sum: i64 = self.sum.iter().map(|sum| sum.abs()).sum();
        100 * sum >= LEAST_PERCENT * self.absolute
    }
}
