//! The remaining difference after moved content is in its new place, in connected pieces.
//!
//! A piece says which pixels replaced which, at any place. Pages with a change in common share its
//! pieces, even if other parts differ.

use std::collections::HashMap;

use crate::alignment::{Move, Span, LOST, NEW};
use crate::boxes::Extent;
use crate::difference::DIFFERENT;
use crate::faint::FAINT;
use crate::pieces::Runs;
use crate::pixels::Pixels;
use crate::regions::{IgnoredPixels, Rectangle};

/// Rounding of mixed colors, in levels of a channel.
const ROUNDING: i64 = 4;
/// How far a mix may reach beyond both colors, in percent of their distance.
const BEYOND: (i64, i64) = (3, 5);
/// The smallest distance between the replaced color and a color mixed with it.
const CONTRAST: i64 = 32;
/// One in so many pixels around may have either color; with more, the color is the background.
const SPILL: usize = 10;
/// Spreads neighboring places over all bits: 2 to the power of 64, divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Moved content continues in pixels no farther away than the move plus this distance.
const NEXT: usize = 8;
/// In a square of moved content with this side, all pixels differ by so many levels, and by nearly
/// the same.
const SQUARE: usize = 8;
const LEAST: i64 = 3;
const STEP: i64 = 2;
const OPAQUE: u32 = 255 << 24;

/// One connected piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Place of the piece.
    pub extent: Extent,
    /// Number of the box's pixels in the piece.
    pub pixels: usize,
    /// A digest of the pixels before and after, with the shape of the piece.
    pub digest: [u64; 2],
    /// The replaced color and its replacement, where all pixels are mixes with the two.
    pub recolored: Option<(u32, u32)>,
}

/// Two images, the mask of their union, and their alignment.
pub struct Rest<'data> {
    /// The earlier image.
    pub before: Pixels<'data>,
    /// The later image.
    pub after: Pixels<'data>,
    /// The mask of the plain comparison.
    pub mask: &'data [u8],
    /// The mask of the alignment.
    pub aligned: &'data [u8],
    /// Moved content.
    pub moves: &'data [Move],
    /// Pixels of a row of the union.
    pub width: usize,
}

/// A pixel before and after; None for a pixel of no account, or beyond the image.
type Pair = (Option<u32>, Option<u32>);

impl Rest<'_> {
    /// Return all pieces outside rectangles, top to bottom; None if there are too many.
    pub fn find_pieces(&self, rectangles: &[Rectangle]) -> Option<Vec<Piece>> {
        let marks = self.mark(rectangles);
        let mut runs = Runs::default();
        for (y, row) in marks.chunks_exact(self.width).enumerate() {
            if !runs.add_row(y, row) {
                return None;
            }
        }
        let extents = runs.boxes()?;
        Some(extents.into_iter().map(|extent| self.describe(extent, &marks)).collect())
    }

    /// Mark the remaining pixels with 1.
    fn mark(&self, rectangles: &[Rectangle]) -> Vec<u8> {
        let mut marks = vec![0; self.mask.len()];
        let mut ignored = IgnoredPixels::new(rectangles, self.width);
        for (y, row) in marks.chunks_exact_mut(self.width).enumerate() {
            let start = y * self.width;
            let skipped = ignored.row(y);
            for (x, mark) in row.iter_mut().enumerate() {
                let (plain, aligned) = (self.mask[start + x], self.aligned[start + x]);
                let is_left = match plain {
                    DIFFERENT => {
                        aligned != 0
                            && !(aligned == LOST && self.is_out_of_view(x, y))
                            && !self.is_next_to_move(x, y, aligned)
                    }
                    FAINT => !self.is_moved(x, y),
                    _ => false,
                };
                *mark = u8::from(is_left && !skipped.is_some_and(|flags| flags[x]));
            }
        }
        for each in self.moves {
            self.mark_faint(each, rectangles, &mut marks);
        }
        marks
    }

    /// Mark the squares of moved content that became a little darker or brighter all over.
    fn mark_faint(&self, each: &Move, rectangles: &[Rectangle], marks: &mut [u8]) {
        let Span { left, top, right, bottom } = each.target;
        let mut ignored = IgnoredPixels::new(rectangles, self.width);
        for y in (top..(bottom + 1).saturating_sub(SQUARE)).step_by(SQUARE) {
            for x in (left..(right + 1).saturating_sub(SQUARE)).step_by(SQUARE) {
                if !self.is_faint(each, x, y) {
                    continue;
                }
                for row in y..y + SQUARE {
                    let skipped = ignored.row(row);
                    for at in x..x + SQUARE {
                        let is_counted = !skipped.is_some_and(|flags| flags[at]);
                        marks[row * self.width + at] |= u8::from(is_counted);
                    }
                }
            }
        }
    }

    /// Return whether all pixels of a square changed by the same, by no more than the threshold.
    fn is_faint(&self, each: &Move, left: usize, top: usize) -> bool {
        let change = |x: usize, y: usize| {
            let (old_x, old_y) = each.source(x, y);
            difference(self.before.get(old_x, old_y), self.after.get(x, y))
        };
        let first = change(left, top);
        if first.iter().all(|level| level.abs() < LEAST) {
            return false;
        }
        (top..top + SQUARE).all(|y| {
            (left..left + SQUARE).all(|x| {
                let at = y * self.width + x;
                let is_same = || change(x, y).iter().zip(first).all(|(a, b)| (a - b).abs() <= STEP);
                self.mask[at] != 0 && self.aligned[at] == 0 && is_same()
            })
        })
    }

    /// Return whether content moved beyond the lower edge, together with the content above.
    fn is_out_of_view(&self, x: usize, y: usize) -> bool {
        self.moves.iter().any(|each| {
            let Span { left, top, right, .. } = each.target;
            let down = each.dy.unsigned_abs();
            each.dx == 0
                && each.dy > 0
                && (left..right).contains(&x)
                && y + down >= top.max(self.after.height())
        })
    }

    /// Return whether the pixel moved with content next to it.
    ///
    /// A move ends where both images are equal in place, perhaps within one element, and whole rows
    /// or columns move together.
    fn is_next_to_move(&self, x: usize, y: usize, aligned: u8) -> bool {
        self.moves.iter().any(|each| {
            let (width, height) = (self.width, self.mask.len() / self.width);
            let (across, down) = (each.dx.unsigned_abs() + NEXT, each.dy.unsigned_abs() + NEXT);
            let wide = if each.dx == 0 { width } else { across };
            let high = if each.dy == 0 { height } else { down };
            let came = || {
                has(grow(each.target, wide, high), x, y) && {
                    let (old_x, old_y) = each.source(x, y);
                    same(read(&self.before, old_x, old_y), read(&self.after, x, y))
                }
            };
            let went = || {
                let (new_x, new_y) =
                    (x.wrapping_add_signed(each.dx), y.wrapping_add_signed(each.dy));
                has(grow(each.target, wide, high), new_x, new_y)
                    && same(read(&self.before, x, y), read(&self.after, new_x, new_y))
            };
            (aligned & NEW == 0 || came()) && (aligned & LOST == 0 || went())
        })
    }

    fn is_moved(&self, x: usize, y: usize) -> bool {
        self.moves.iter().any(|each| has(each.target, x, y) || has(source_of(each), x, y))
    }

    fn describe(&self, extent: Extent, marks: &[u8]) -> Piece {
        let (mut pixels, mut digest) = (0, [0u64; 2]);
        let mut pairs: HashMap<(u32, u32), usize> = HashMap::new();
        let mut last = (0, 0);
        let mut count = 0;
        let mut is_whole = true;
        for y in extent.top..=extent.bottom {
            for x in extent.left..=extent.right {
                if marks[y * self.width + x] == 0 {
                    continue;
                }
                let pair = self.colors(x, y);
                pixels += 1;
                add(&mut digest, pair, x - extent.left, y - extent.top);
                match pair {
                    (Some(one), Some(two)) if (one, two) == last => count += 1,
                    (Some(one), Some(two)) => {
                        *pairs.entry(last).or_default() += count;
                        (last, count) = ((one, two), 1);
                    }
                    _ => is_whole = false,
                }
            }
        }
        *pairs.entry(last).or_default() += count;
        pairs.retain(|_, count| *count > 0);
        let recolored = if is_whole { find_recolored(&pairs) } else { None }
            .filter(|colors| self.has_outline(extent, marks, *colors));
        Piece { extent, pixels, digest, recolored }
    }

    /// Return whether the piece still ends at the same place, and not on a background of its color.
    fn has_outline(&self, extent: Extent, marks: &[u8], (old, new): (u32, u32)) -> bool {
        let height = marks.len() / self.width;
        let (mut around, mut was, mut is_now) = (0, 0, 0);
        for y in extent.top.saturating_sub(1)..(extent.bottom + 2).min(height) {
            for x in extent.left.saturating_sub(1)..(extent.right + 2).min(self.width) {
                let is_marked = |x: usize, y: usize| marks[y * self.width + x] != 0;
                if is_marked(x, y) {
                    continue;
                }
                let touches = x > 0 && is_marked(x - 1, y)
                    || x + 1 < self.width && is_marked(x + 1, y)
                    || y > 0 && is_marked(x, y - 1)
                    || y + 1 < height && is_marked(x, y + 1);
                if touches {
                    around += 1;
                    was += usize::from(read(&self.before, x, y) == Some(old));
                    is_now += usize::from(read(&self.after, x, y) == Some(new));
                }
            }
        }
        was.max(is_now) * SPILL <= around
    }

    fn colors(&self, x: usize, y: usize) -> Pair {
        let at = y * self.width + x;
        let (before, after) = (read(&self.before, x, y), read(&self.after, x, y));
        if self.moves.is_empty() || self.mask[at] == FAINT {
            return (before, after);
        }
        if self.aligned[at] == LOST {
            return (before, None);
        }
        if let Some(each) = self.moves.iter().find(|each| has(each.target, x, y)) {
            let (x, y) = each.source(x, y);
            return (read(&self.before, x, y), after);
        }
        let left = self.moves.iter().any(|each| has(source_of(each), x, y));
        // The pixel from before is elsewhere now.
        (if left { None } else { before }, after)
    }
}

fn has(span: Span, x: usize, y: usize) -> bool {
    (span.left..span.right).contains(&x) && (span.top..span.bottom).contains(&y)
}

fn grow(span: Span, wide: usize, high: usize) -> Span {
    Span {
        left: span.left.saturating_sub(wide),
        top: span.top.saturating_sub(high),
        right: span.right + wide,
        bottom: span.bottom + high,
    }
}

fn same(one: Option<u32>, two: Option<u32>) -> bool {
    one.is_some() && one == two
}

fn source_of(each: &Move) -> Span {
    let (left, top) = each.source(each.target.left, each.target.top);
    Span { left, top, right: left + each.target.width(), bottom: top + each.target.height() }
}

fn read(image: &Pixels, x: usize, y: usize) -> Option<u32> {
    (x < image.width() && y < image.height()).then(|| image.get(x, y))
}

/// Add a pixel at its place within the box; the order of adding plays no part.
fn add(digest: &mut [u64; 2], (before, after): Pair, x: usize, y: usize) {
    let colors = u64::from(before.unwrap_or(0)) | u64::from(after.unwrap_or(0)) << 32;
    let known = u64::from(before.is_some()) | u64::from(after.is_some()) << 1;
    let place = ((x as u64) | (y as u64) << 24 | known << 48).wrapping_mul(GOLDEN);
    let mixed = mix(colors ^ place);
    digest[0] = digest[0].wrapping_add(mixed);
    digest[1] = digest[1].wrapping_add(mixed.wrapping_mul(place | 1));
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// Return the pair of colors such that all others are mixes with an unchanged color.
///
/// If color B replaced color A, a mix of A and C in any proportion is now the same mix of B and C,
/// so that every pixel changed along the line from A to B.
fn find_recolored(pairs: &HashMap<(u32, u32), usize>) -> Option<(u32, u32)> {
    let common = |one: &(&(u32, u32), &usize), two: &(&(u32, u32), &usize)| {
        one.1.cmp(two.1).then(two.0.cmp(one.0))
    };
    let (&(before, after), _) = pairs.iter().max_by(common)?;
    if before == after {
        return None;
    }
    let line = difference(before, after);
    let length: i64 = line.iter().map(|each| each * each).sum();
    let is_on_line = |&(one, two): &(u32, u32)| {
        if (one & two & before & after) < OPAQUE {
            return false;
        }
        let change = difference(one, two);
        let along: i64 = change.iter().zip(line).map(|(a, b)| a * b).sum();
        let is_between =
            100 * along >= -BEYOND.0 * length && 100 * along <= (100 + BEYOND.1) * length;
        let is_near = |(a, b): (i64, i64)| (a * length - along * b).abs() <= ROUNDING * length;
        // A mix with something else had another color before; new strokes had none.
        let own = difference(before, one).into_iter().map(i64::abs).max().unwrap_or(0);
        let is_mix = (own + ROUNDING) * length >= CONTRAST * (length - along);
        is_between && is_mix && change.into_iter().zip(line).all(is_near)
    };
    pairs.keys().all(is_on_line).then_some((before, after))
}

fn difference(before: u32, after: u32) -> [i64; 3] {
    let (before, after) = (before.to_le_bytes(), after.to_le_bytes());
    std::array::from_fn(|at| i64::from(after[at]) - i64::from(before[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn color(red: u8, green: u8, blue: u8) -> u32 {
        u32::from_le_bytes([red, green, blue, 255])
    }
    const GREEN: u32 = color(10, 110, 80);
    const PURPLE: u32 = color(120, 30, 90);

    fn recolored(more: &[(u32, u32)]) -> Option<(u32, u32)> {
        let mut pairs = HashMap::from([((GREEN, PURPLE), 100)]);
        more.iter().for_each(|pair| *pairs.entry(*pair).or_default() += 1);
        find_recolored(&pairs)
    }

    #[test]
    fn mixes_with_what_stayed_are_recolored_too() {
        // Half white, half of either color, rounded differently.
        let half = (color(132, 182, 168), color(188, 143, 172));
        assert_eq!(recolored(&[half]), Some((GREEN, PURPLE)));
    }

    #[test]
    fn anything_else_is_not() {
        let white = color(255, 255, 255);
        assert_eq!(recolored(&[(white, PURPLE)]), None);
        assert_eq!(recolored(&[(GREEN, white)]), None);
        // A stroke of the later color, half transparent, on a plain background.
        assert_eq!(recolored(&[(GREEN, color(65, 70, 85))]), None);
        assert_eq!(recolored(&[(PURPLE, GREEN)]), None);
        assert_eq!(recolored(&[(GREEN & 0x00ff_ffff, PURPLE)]), None);
    }

    #[test]
    fn the_place_within_the_box_counts_and_the_order_does_not() {
        let digest = |pixels: &[(usize, usize, u32)]| {
            let mut found = [0; 2];
            pixels.iter().for_each(|(x, y, after)| add(&mut found, (None, Some(*after)), *x, *y));
            found
        };
        assert_eq!(digest(&[(0, 0, 1), (1, 0, 2)]), digest(&[(1, 0, 2), (0, 0, 1)]));
        assert_ne!(digest(&[(0, 0, 1), (1, 0, 2)]), digest(&[(0, 0, 2), (1, 0, 1)]));
        assert_ne!(digest(&[(0, 1, 1)]), digest(&[(1, 0, 1)]));
    }
}
