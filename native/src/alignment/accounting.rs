//! Account for every pixel of two images between which content moved.
//!
//! Each pixel of the earlier image explains at most one of the later image: at its place, or where
//! it moved to. What is not explained is new, and what explains nothing is lost, unless it has the
//! color of the background that moved content came over or left behind. So no change can hide.

use super::Move;
use crate::color::{squared_distance, MAX_SQUARED};
use crate::difference::DIFFERENT;
use crate::pixels::Pixels;

/// New or different in the later image.
pub const NEW: u8 = 1;
/// Lost from the earlier one.
pub const LOST: u8 = 2;
/// Of a label: the number of its move, whether it equals its source, whether another took that.
const NUMBER: u8 = 63;
const MATCHED: u8 = 64;
const REPEATED: u8 = 128;

/// An image and its size.
#[derive(Clone, Copy)]
pub struct Sized<'data> {
    /// Its pixels.
    pub pixels: Pixels<'data>,
    /// Pixels of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl Sized<'_> {
    fn has(&self, x: usize, y: usize) -> bool {
        x < self.width && y < self.height
    }
}

/// Two compared images.
pub struct Compared<'data> {
    /// The earlier image.
    pub before: Sized<'data>,
    /// The later image.
    pub after: Sized<'data>,
    /// The mask of the union.
    pub mask: &'data [u8],
    /// Pixels of a row of the union.
    pub width: usize,
    /// The largest distance of colors that count as equal.
    pub threshold: f64,
}

impl Compared<'_> {
    fn alike(&self, one: u32, two: u32, index: usize) -> bool {
        let limit = MAX_SQUARED * self.threshold * self.threshold;
        one == two || squared_distance(one, two, index) <= limit
    }

    /// Replace the number of each pixel's move by what is new or lost there.
    pub fn account(&self, moves: &[Move], labels: &mut [u8]) {
        let claims = self.claim_sources(moves, labels);
        let mut backgrounds = vec![None];
        backgrounds.extend(moves.iter().map(|each| self.find_background(each)));
        let edges = Edges::new(moves);
        for (y, row) in labels.chunks_exact_mut(self.width).enumerate() {
            let claims = &claims[y * self.width..][..self.width];
            let marks = &self.mask[y * self.width..][..self.width];
            for (x, label) in row.iter_mut().enumerate() {
                // Most pixels of most images stayed as they were.
                if *label | claims[x] | marks[x] == 0 {
                    continue;
                }
                let pixel = Pixel { x, y, label: *label, claim: claims[x], mark: marks[x] };
                *label = match pixel.label & NUMBER {
                    0 => self.mark_left(&pixel, &backgrounds, &edges),
                    _ => self.mark_moved(&pixel, &backgrounds),
                };
            }
        }
    }

    /// Return the number of the move that took each pixel of the earlier image, 0 for none.
    fn claim_sources(&self, moves: &[Move], labels: &mut [u8]) -> Vec<u8> {
        let mut claims = vec![0; labels.len()];
        let mut rows = [Vec::new(), Vec::new()];
        for (number, each) in (1..).zip(moves) {
            let width = each.target.width();
            rows.iter_mut().for_each(|row| row.resize(width, 0));
            for y in each.target.top..each.target.bottom {
                let (left, top) = each.source(each.target.left, y);
                let [old, new] = &mut rows;
                self.before.pixels.convert_row(top, left, old, |pixel| pixel);
                self.after.pixels.convert_row(y, each.target.left, new, |pixel| pixel);
                let start = y * self.width + each.target.left;
                let claims = &mut claims[top * self.width + left..][..width];
                let labels = &mut labels[start..][..width];
                for (at, (label, claim)) in labels.iter_mut().zip(claims).enumerate() {
                    if *label == number && self.alike(old[at], new[at], start + at) {
                        *label |= if *claim == 0 { MATCHED } else { MATCHED | REPEATED };
                        *claim = if *claim == 0 { number } else { *claim };
                    }
                }
            }
        }
        claims
    }

    /// Return the color that most of what a move came over has, or most of what moved.
    fn find_background(&self, each: &Move) -> Option<u32> {
        let target = each.target;
        let right = target.right.min(self.before.width);
        let mut parts = Vec::new();
        for y in target.top..target.bottom.min(self.before.height) {
            let row = y as isize + each.dy;
            if row < target.top as isize || row >= target.bottom as isize {
                parts.push((y, target.left, right));
                continue;
            }
            // Without what moved: it was at the left or at the right of the row.
            let left = target.left + each.dx.min(0).unsigned_abs();
            let end = target.right - (each.dx.max(0) as usize).min(target.width());
            parts.push((y, target.left, left.min(right)));
            parts.push((y, end.max(left), right));
        }
        parts.retain(|(_, left, right)| left < right);
        if parts.is_empty() {
            parts.extend((target.top..target.bottom).map(|y| {
                let (left, top) = each.source(target.left, y);
                (top, left, left + target.width())
            }));
        }
        let pixels = &self.before.pixels;
        let color = |(y, left, right)| (left..right).map(move |x| pixels.get(x, y));
        find_majority(parts.into_iter().flat_map(color))
    }

    fn is_background(&self, color: u32, background: Option<u32>, pixel: &Pixel) -> bool {
        let index = pixel.y * self.width + pixel.x;
        background.is_some_and(|background| self.alike(color, background, index))
    }

    /// Mark a pixel in a target.
    fn mark_moved(&self, pixel: &Pixel, backgrounds: &[Option<u32>]) -> u8 {
        let background = backgrounds[usize::from(pixel.label & NUMBER)];
        let matched = pixel.label & MATCHED != 0;
        let differs = pixel.mark == DIFFERENT;
        let mut marks = 0;
        if differs || pixel.claim != 0 {
            let shown = || self.after.pixels.get(pixel.x, pixel.y);
            let repeated = pixel.label & REPEATED != 0;
            if !matched || repeated && !self.is_background(shown(), background, pixel) {
                marks |= NEW;
            }
        }
        let stayed = !matched && !differs;
        if pixel.claim == 0 && !stayed && self.before.has(pixel.x, pixel.y) {
            let covered = self.before.pixels.get(pixel.x, pixel.y);
            if !self.is_background(covered, background, pixel) {
                marks |= LOST;
            }
        }
        marks
    }

    /// Mark a pixel outside all targets.
    fn mark_left(&self, pixel: &Pixel, backgrounds: &[Option<u32>], edges: &Edges) -> u8 {
        let &Pixel { x, y, .. } = pixel;
        let in_before = self.before.has(x, y);
        if self.after.has(x, y) {
            let is_new = if pixel.claim != 0 {
                let background = backgrounds[usize::from(pixel.claim)];
                !self.is_background(self.after.pixels.get(x, y), background, pixel)
            } else {
                let grown =
                    !in_before && self.continues(&self.after, &self.before, pixel, edges.grown);
                pixel.mark == DIFFERENT && !grown
            };
            return if is_new { NEW } else { 0 };
        }
        let shrunk = || self.continues(&self.before, &self.after, pixel, edges.shrunk);
        if in_before && pixel.claim == 0 && !shrunk() {
            LOST
        } else {
            0
        }
    }

    /// Return whether a pixel that only one image has continues the edge of the other.
    fn continues(
        &self,
        larger: &Sized,
        smaller: &Sized,
        pixel: &Pixel,
        (across, down): (bool, bool),
    ) -> bool {
        let &Pixel { x, y, .. } = pixel;
        let is_below = y >= smaller.height && x < smaller.width;
        let is_beside = x >= smaller.width && y < smaller.height;
        if !(is_below && down || is_beside && across) {
            return false;
        }
        let edge = smaller.pixels.get(x.min(smaller.width - 1), y.min(smaller.height - 1));
        self.alike(larger.pixels.get(x, y), edge, y * self.width + x)
    }
}

struct Pixel {
    x: usize,
    y: usize,
    label: u8,
    claim: u8,
    mark: u8,
}

/// Whether content moved to the right and down, which makes a page grow, or back.
struct Edges {
    grown: (bool, bool),
    shrunk: (bool, bool),
}

impl Edges {
    fn new(moves: &[Move]) -> Self {
        let any = |test: &dyn Fn(&Move) -> bool| moves.iter().any(test);
        Self {
            grown: (any(&|each| each.dx > 0), any(&|each| each.dy > 0)),
            shrunk: (any(&|each| each.dx < 0), any(&|each| each.dy < 0)),
        }
    }
}

/// Return the color of more than half of some pixels, which are listed twice.
fn find_majority(colors: impl Iterator<Item = u32> + Clone) -> Option<u32> {
    let (mut found, mut lead) = (0, 0usize);
    // If there is one, it is left over when each is crossed out with one of another color.
    for color in colors.clone() {
        match (lead, color == found) {
            (0, _) => (found, lead) = (color, 1),
            (_, true) => lead += 1,
            (_, false) => lead -= 1,
        }
    }
    let (mut count, mut total) = (0usize, 0usize);
    for color in colors {
        total += 1;
        count += usize::from(color == found);
    }
    (2 * count > total).then_some(found)
}
