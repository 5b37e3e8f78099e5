//! Find the rectangle of an area in which a displacement explains most.

use super::scores::{Displacement, Field, Lanes, Score, BLOCK};
use super::Span;

const FIRST_TILE: usize = 16;
const MOST_COLUMNS: usize = 96;
const MOST_ROWS: usize = 1024;
const TAKEN: i64 = -(1 << 30);
/// Rows without any gain that may lie between content and other content.
const MOST_NEUTRAL: usize = 64;

/// The scores of an area, summed by tiles.
pub struct Tiles {
    area: Span,
    side: usize,
    columns: usize,
    rows: usize,
    sums: Vec<i64>,
}

impl Tiles {
    /// Score all pixels of an area.
    pub fn new(field: &Field, by: Displacement, area: Span) -> Self {
        let mut side = FIRST_TILE;
        while area.width() > MOST_COLUMNS * side || area.height() > MOST_ROWS * side {
            side *= 2;
        }
        let (columns, rows) = (area.width().div_ceil(side), area.height().div_ceil(side));
        let mut sums = vec![0; columns * rows];
        let blocks = area.width().div_ceil(BLOCK);
        for top in (area.top..area.bottom).step_by(FIRST_TILE) {
            let mut lanes = vec![Lanes::default(); blocks];
            for y in top..(top + FIRST_TILE).min(area.bottom) {
                field.add_row(by, y, area, &mut lanes);
            }
            let row = &mut sums[(top - area.top) / side * columns..][..columns];
            for (at, lanes) in lanes.iter().enumerate() {
                row[at * BLOCK / side] += lanes.total();
            }
        }
        Self { area, side, columns, rows, sums }
    }

    /// Return the rectangle of tiles with the largest sum, if the sum is `least` or more.
    ///
    /// Of equal rectangles, the first by left, right and bottom side. No other has its tiles.
    pub fn take_best(&mut self, least: i64) -> Option<Span> {
        let best = self.find_best(least)?;
        self.fill(best);
        Some(self.as_pixels(best))
    }

    fn find_best(&self, least: i64) -> Option<Span> {
        let (mut best, mut found) = (least - 1, None);
        let mut sums = vec![0; self.rows];
        for left in 0..self.columns {
            sums.fill(0);
            for right in left + 1..=self.columns {
                let column = self.sums[right - 1..].iter().step_by(self.columns);
                let (mut sum, mut lowest, mut top) = (0, 0, 0);
                for (y, (total, tile)) in sums.iter_mut().zip(column).enumerate() {
                    *total += tile;
                    if sum <= lowest {
                        (lowest, top) = (sum, y);
                    }
                    sum += *total;
                    if sum - lowest > best {
                        best = sum - lowest;
                        found = Some(Span { left, top, right, bottom: y + 1 });
                    }
                }
            }
        }
        found
    }

    /// Exclude the tiles touched by a rectangle of pixels from all later rectangles.
    pub fn block(&mut self, span: Span) {
        let start = |at: usize, from: usize| at.saturating_sub(from) / self.side;
        let end = |at: usize, from: usize| at.saturating_sub(from).div_ceil(self.side);
        let tiles = Span {
            left: start(span.left, self.area.left).min(self.columns),
            top: start(span.top, self.area.top).min(self.rows),
            right: end(span.right, self.area.left).min(self.columns),
            bottom: end(span.bottom, self.area.top).min(self.rows),
        };
        self.fill(tiles);
    }

    fn fill(&mut self, tiles: Span) {
        for y in tiles.top..tiles.bottom {
            if tiles.left < tiles.right {
                self.sums[y * self.columns..][tiles.left..tiles.right].fill(TAKEN);
            }
        }
    }

    fn as_pixels(&self, tiles: Span) -> Span {
        Span {
            left: self.area.left + tiles.left * self.side,
            top: self.area.top + tiles.top * self.side,
            right: (self.area.left + tiles.right * self.side).min(self.area.right),
            bottom: (self.area.top + tiles.bottom * self.side).min(self.area.bottom),
        }
    }

    /// Move the sides of a rectangle of tiles to where the content ends.
    pub fn refine(&self, field: &Field, by: Displacement, span: Span) -> Span {
        let mut span = trim(field, by, span, self.side);
        for _ in 0..2 {
            span = grow(field, by, span);
        }
        span
    }
}

fn trim(field: &Field, by: Displacement, span: Span, tile: usize) -> Span {
    let Span { mut left, mut top, mut right, mut bottom } = span;
    let row = |y: usize| field.score(by, y, left, right).total();
    let sums: Vec<_> = (top..bottom.min(top + tile)).map(row).collect();
    top += lowest_prefix(&sums, bottom - top);
    let sums: Vec<_> = (top.max(bottom.saturating_sub(tile))..bottom).rev().map(row).collect();
    bottom -= lowest_prefix(&sums, bottom - top);
    let columns = |from: usize, to: usize| -> Vec<i64> {
        let area = Span { left: from, top, right: to, bottom };
        field.score_columns(by, area).iter().map(Score::total).collect()
    };
    let sums = columns(left, right.min(left + tile));
    left += lowest_prefix(&sums, right - left);
    let mut sums = columns(left.max(right.saturating_sub(tile)), right);
    sums.reverse();
    right -= lowest_prefix(&sums, right - left);
    Span { left, top, right, bottom }
}

/// Return the longest prefix with the lowest sum; at least one line of `size` is left.
fn lowest_prefix(sums: &[i64], size: usize) -> usize {
    let (mut sum, mut lowest, mut found) = (0, 0, 0);
    for (at, each) in sums.iter().enumerate() {
        sum += each;
        if sum <= lowest && at + 1 < size {
            (lowest, found) = (sum, at + 1);
        }
    }
    found
}

fn grow(field: &Field, by: Displacement, span: Span) -> Span {
    let Span { mut left, mut top, mut right, mut bottom } = span;
    let (width, height) = (field.after.width, field.after.height);
    let limit = |own: usize, other: usize| if own == other { MOST_NEUTRAL } else { own };
    let row = |y: usize| field.gain_of_row(by, y, left, right);
    top -= count_gains((0..top).rev().map(row), MOST_NEUTRAL);
    bottom += count_gains((bottom..height).map(row), limit(height, field.before.height));
    let columns = |from: usize, to: usize| {
        let area = Span { left: from, top, right: to, bottom };
        let scores = field.score_columns(by, area);
        (from..to).zip(scores).map(move |(x, score)| gain_of_column(field, by, (x, score), area))
    };
    // A few columns at once, because pixels of a column are far from each other in memory.
    let starts = (0..left).rev().step_by(BLOCK);
    let before = starts.flat_map(|last| columns((last + 1).saturating_sub(BLOCK), last + 1).rev());
    let grown_left = count_gains(before, MOST_NEUTRAL);
    let after = (right..width).step_by(BLOCK);
    let after = after.flat_map(|first| columns(first, (first + BLOCK).min(width)));
    right += count_gains(after, limit(width, field.before.width));
    left -= grown_left;
    Span { left, top, right, bottom }
}

/// Return whether any pixel of a column gains, or None if one is not explained.
fn gain_of_column(
    field: &Field,
    by: Displacement,
    (x, score): (usize, Score),
    Span { top, bottom, .. }: Span,
) -> Option<bool> {
    if score.misses > 0 || score.gains > 0 {
        return (score.misses == 0).then_some(true);
    }
    Some((top..bottom).any(|y| field.score_with_bonus(by, x, y) > 0))
}

/// Return how many lines to add: to the last gaining line, before a differing line.
fn count_gains(lines: impl Iterator<Item = Option<bool>>, limit: usize) -> usize {
    let mut gained = 0;
    for (count, line) in lines.enumerate() {
        match line {
            Some(gains) if count - gained < limit => {
                gained = if gains { count + 1 } else { gained }
            }
            _ => break,
        }
    }
    gained
}
