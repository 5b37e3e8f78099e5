//! Find strokes that letters gained or lost, although all of their pixels pass as anti-aliased.
//!
//! A comma is a period with a few more pixels, all of them next to an edge. Where an edge is only
//! rendered otherwise, ink is elsewhere: some pixels get darker, others brighter, and each color is
//! between the surrounding colors in the other image.

use crate::boxes::{Extent, Grid, MOST_BOXES, TILE};
use crate::difference::{ANTI_ALIASED, DIFFERENT, SLIGHT};
use crate::faint::FAINT;
use crate::faint_pair::Pair;
use crate::regions::{IgnoredPixels, Rectangle};
use crate::summary::is_blank;

/// Distance in brightness between ink and all pixels around in the other image.
const BEYOND: i32 = 40;
/// Pixels around to search, on each side.
const AROUND: usize = 3;
/// Ink gained or lost in all pixels around, in levels, and in percent of all their differences.
const LEAST_INK: i64 = 128;
const LEAST_PERCENT: i64 = 40;
/// A pixel of a stroke differs by so much.
const LEAST_LUMA: i32 = 24;

/// Mark the anti-aliased pixels of strokes as faint; return boxes around the strokes, and the
/// number of pixels.
pub fn find_strokes(pair: &Pair, rectangles: &[Rectangle], mask: &mut [u8]) -> (Vec<Extent>, u64) {
    let height = mask.len() / pair.width;
    let mut grid = Grid::new(pair.width, height);
    let mut ignored = IgnoredPixels::new(rectangles, pair.width);
    let mut seeds = Vec::new();
    for y in 0..pair.shared.1 {
        let row = &mask[y * pair.width..][..pair.shared.0];
        if is_blank(row) {
            continue;
        }
        let flags = ignored.row(y);
        for x in (0..row.len()).filter(|x| row[*x] == ANTI_ALIASED) {
            let is_seen = !flags.is_some_and(|flags| flags[x]) && pair.beyond_luma(x, y) >= BEYOND;
            let ink = if is_seen { find_ink(pair, mask, x, y) } else { 0 };
            if ink != 0 {
                seeds.push((x, y, ink));
            }
        }
    }
    let mut pixels = 0;
    for (x, y, ink) in seeds {
        for (x, y) in around(pair, x, y) {
            let mark = &mut mask[y * pair.width + x];
            let luma = pair.luma_delta(x, y);
            if *mark == ANTI_ALIASED && luma.abs() >= LEAST_LUMA && luma.signum() == ink {
                if ignored.row(y).is_some_and(|flags| flags[x]) {
                    continue;
                }
                *mark = FAINT;
                pixels += 1;
                grid.add(x / TILE, y, Extent::of_row(x, x, y));
            }
        }
    }
    (if pixels > 0 { grid.boxes(MOST_BOXES) } else { Vec::new() }, pixels)
}

/// Return 1 if brightness was gained around a pixel, -1 if brightness was lost, and else 0.
fn find_ink(pair: &Pair, mask: &[u8], x: usize, y: usize) -> i32 {
    let (mut sum, mut all) = (0, 0);
    for (x, y) in around(pair, x, y) {
        match mask[y * pair.width + x] {
            // The plain comparison says so, too.
            DIFFERENT => return 0,
            ANTI_ALIASED | SLIGHT => {
                let luma = i64::from(pair.luma_delta(x, y));
                sum += luma;
                all += luma.abs();
            }
            _ => {}
        }
    }
    let is_ink = sum.abs() >= LEAST_INK && 100 * sum.abs() >= LEAST_PERCENT * all;
    if is_ink {
        sum.signum() as i32
    } else {
        0
    }
}

fn around(pair: &Pair, x: usize, y: usize) -> impl Iterator<Item = (usize, usize)> {
    let columns = x.saturating_sub(AROUND)..(x + AROUND + 1).min(pair.shared.0);
    let rows = y.saturating_sub(AROUND)..(y + AROUND + 1).min(pair.shared.1);
    rows.flat_map(move |y| columns.clone().map(move |x| (x, y)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::Pixels;

    const SIZE: usize = 24;

    fn page(ink: &[(usize, usize, u8)]) -> Vec<u8> {
        let mut rows = vec![255u8; (1 + 3 * SIZE) * SIZE];
        for y in 0..SIZE {
            rows[y * (1 + 3 * SIZE)] = 0;
        }
        for (x, y, shade) in ink {
            let at = y * (1 + 3 * SIZE) + 1 + 3 * x;
            rows[at..at + 3].fill(*shade);
        }
        rows
    }

    fn strokes(before: &[(usize, usize, u8)], after: &[(usize, usize, u8)]) -> u64 {
        let (before, after) = (page(before), page(after));
        let (old, new) = (Pixels::new(&before, SIZE, 3), Pixels::new(&after, SIZE, 3));
        let places = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
        let mut mask: Vec<u8> =
            places.map(|(x, y)| u8::from(old.get(x, y) != new.get(x, y)) * ANTI_ALIASED).collect();
        let pair = Pair { before: old, after: new, shared: (SIZE, SIZE), width: SIZE };
        find_strokes(&pair, &[], &mut mask).1
    }

    #[test]
    fn a_comma_that_became_a_period_lost_a_stroke() {
        let dot = [(7, 8, 176), (8, 8, 94), (7, 9, 145), (8, 9, 46)];
        let tail = [(7, 10, 99), (8, 10, 133), (7, 11, 49), (6, 11, 251), (8, 11, 232)];
        let comma: Vec<_> = dot.into_iter().chain(tail).collect();
        let period = [(7, 8, 118), (8, 8, 60), (7, 9, 118), (8, 9, 60)];
        assert!(strokes(&comma, &period) >= 3);
        assert!(strokes(&period, &comma) >= 3);
    }

    #[test]
    fn a_line_between_two_pixels_lost_nothing() {
        let sharp: Vec<_> = (4..20).map(|y| (9, y, 0)).collect();
        let soft: Vec<_> = (4..20).flat_map(|y| [(9, y, 128), (10, y, 127)]).collect();
        assert_eq!(strokes(&sharp, &soft), 0);
    }

    #[test]
    fn an_edge_that_is_rendered_otherwise_lost_nothing() {
        let block = |edge: u8| -> Vec<_> {
            let inner = (4..20).flat_map(|y| (4..12).map(move |x| (x, y, 0)));
            inner.chain((4..20).map(|y| (12, y, edge))).collect()
        };
        assert_eq!(strokes(&block(40), &block(200)), 0);
    }
}
