//! Mark every pixel of the union of two images in which they differ.
//!
//! Rows are compared as they are inflated, filters included: where two rows are equal and so were
//! the rows above them, their pixels are equal, and nothing is unfiltered. Of rows that differ, the
//! pixels are compared; anti-aliasing is looked at only where they do.

use crate::antialiasing::{is_anti_aliased, Around};
use crate::difference::{mark_row, Threshold, ANTI_ALIASED, DIFFERENT};
use crate::image::Scanlines;
use crate::shift::{find_row_shift, RowShift};
use crate::window::Window;

/// How strict a comparison is.
pub struct Options {
    /// The squared distance that passes.
    pub threshold: Threshold,
    /// Whether anti-aliased pixels count as different.
    pub include_anti_aliased: bool,
}

/// An anti-aliased pixel is recognized by its neighbors and by theirs.
const REACH: usize = 2;

/// Write the mask of the union, row by row; `mask` has zeros.
///
/// What only one image has is different. Where the only difference is whole rows that one image
/// lacks, these alone are marked.
pub fn mark<'data>(
    before: &mut Scanlines<'data>,
    after: &mut Scanlines<'data>,
    options: &Options,
    mask: &mut [u8],
) -> Option<RowShift> {
    let width = before.width.max(after.width);
    let shift = find_row_shift(before, after);
    if let Some(shift) = &shift {
        mask[shift.at * width..(shift.at + shift.count) * width].fill(DIFFERENT);
        return Some(*shift);
    }
    let shared = (before.width.min(after.width), before.height.min(after.height));
    for (y, row) in mask.chunks_exact_mut(width).enumerate() {
        let own = if y < shared.1 { shared.0 } else { 0 };
        row[own..].fill(DIFFERENT);
    }
    let mut walk = Walk { pair: Pair::new(before, after, shared), options, pending: [false; 8] };
    walk.run(mask, width);
    None
}

/// Two images whose rows are read from the top.
struct Pair<'a, 'data> {
    before: &'a mut Scanlines<'data>,
    after: &'a mut Scanlines<'data>,
    /// Width and height of the part that both have.
    shared: (usize, usize),
    /// Whether rows can be compared before they are unfiltered.
    comparable: bool,
    /// Whether the pixels of the row above are equal.
    above_equal: bool,
    /// Rows of equal pixels; those of `after` may still be filtered.
    equal: Vec<bool>,
    old: Window,
    new: Window,
}

impl<'a, 'data> Pair<'a, 'data> {
    fn new(
        before: &'a mut Scanlines<'data>,
        after: &'a mut Scanlines<'data>,
        shared: (usize, usize),
    ) -> Self {
        let comparable = before.format == after.format
            && (before.width, before.height) == (after.width, after.height)
            && before.unfiltered() == 0
            && after.unfiltered() == 0;
        let windows = [Window::new(shared.0), Window::new(shared.0)];
        let [old, new] = windows;
        let equal = vec![false; shared.1];
        Self { before, after, shared, comparable, above_equal: true, equal, old, new }
    }

    /// Read row `y` of both, and return whether their pixels are the same.
    fn read(&mut self, y: usize) -> bool {
        self.equal[y] = self.is_equal_filtered(y) || self.is_equal_unfiltered(y);
        self.above_equal = self.equal[y];
        self.equal[y]
    }

    fn is_equal_filtered(&self, y: usize) -> bool {
        let (old, new) = (self.before.raw(y), self.after.raw(y));
        // Filters 0 and 1 do not depend on the row above.
        self.comparable && old == new && (self.above_equal || old[0] <= 1)
    }

    fn is_equal_unfiltered(&mut self, y: usize) -> bool {
        if !self.comparable {
            self.before.unfilter_through(y);
            self.after.unfilter_through(y);
            return self.old.row(y, self.before) == self.new.row(y, self.after);
        }
        self.before.unfilter_through(y);
        match y {
            0 => self.after.unfilter_through(0),
            // An equal row above may be filtered still, but that of the other image is not.
            _ if self.above_equal => self.after.unfilter_below(y, self.before.raw(y - 1)),
            _ => self.after.unfilter_through(y),
        }
        self.before.raw(y) == self.after.raw(y)
    }

    /// Return rows `y - 2` to `y + 2` of both images.
    fn around(&mut self, y: usize) -> [Around<'_>; 2] {
        let height = self.shared.1;
        let rows = y.saturating_sub(REACH)..(y + REACH + 1).min(height);
        for near in rows.clone() {
            self.before.unfilter_through(near);
            self.old.load(near, self.before);
            match self.equal[near] {
                true => self.new.load(near, self.before),
                false => self.new.load(near, self.after),
            }
        }
        [&self.old, &self.new].map(|window| Around { rows: window.around(y, height), y, height })
    }
}

struct Walk<'a, 'data> {
    pair: Pair<'a, 'data>,
    options: &'a Options,
    /// Rows, modulo 8, with different pixels whose neighbors were not looked at.
    pending: [bool; 8],
}

impl Walk<'_, '_> {
    fn run(&mut self, mask: &mut [u8], width: usize) {
        let (shared_width, height) = self.pair.shared;
        for y in 0..height + REACH {
            if y < height {
                self.compare(y, &mut mask[y * width..][..shared_width]);
            }
            // The rows below a pixel have to be read before its neighbors are looked at.
            if y >= REACH && self.pending[(y - REACH) % 8] {
                self.pending[(y - REACH) % 8] = false;
                self.smooth(y - REACH, &mut mask[(y - REACH) * width..][..shared_width]);
            }
        }
    }

    fn compare(&mut self, y: usize, mask: &mut [u8]) {
        if self.pair.read(y) {
            return;
        }
        let pair = &mut self.pair;
        let (old, new) = (pair.old.row(y, pair.before), pair.new.row(y, pair.after));
        let index = y * pair.shared.0;
        let count = mark_row(old, new, index, self.options.threshold, mask);
        self.pending[y % 8] = count > 0 && !self.options.include_anti_aliased;
    }

    fn smooth(&mut self, y: usize, mask: &mut [u8]) {
        let [old, new] = self.pair.around(y);
        for (x, mark) in mask.iter_mut().enumerate() {
            if *mark == DIFFERENT && is_anti_aliased(&old, &new, x) {
                *mark = ANTI_ALIASED;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::SLIGHT;
    use crate::samples::{Format, GRAY};

    fn mask_of(before: &mut [u8], after: &mut [u8], width: usize, exactly: bool) -> Vec<u8> {
        let format = Format::new(8, GRAY, &[], &[]);
        let [old, new] = [before, after].map(|data| {
            let height = data.len() / (width + 1);
            Scanlines::new(format.clone(), (width, height), data, 0).unwrap()
        });
        let (mut old, mut new) = (old, new);
        let options = Options { threshold: Threshold::new(0.1), include_anti_aliased: exactly };
        let mut mask = vec![0; width * old.height.max(new.height)];
        mark(&mut old, &mut new, &options, &mut mask);
        mask
    }

    #[test]
    fn filtered_rows_that_are_equal_differ_below_rows_that_do_not() {
        // The filter of the second row adds the row above it.
        let (mut before, mut after) =
            ([0, 10, 10, 2, 0, 0, 0, 7, 7], [0, 200, 10, 2, 0, 0, 0, 7, 7]);
        assert_eq!(mask_of(&mut before, &mut after, 2, true), [1, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn rows_with_other_filters_may_have_the_same_pixels() {
        let (mut before, mut after) = ([0, 5, 7, 0, 5, 8], [1, 5, 2, 2, 0, 1]);
        assert_eq!(mask_of(&mut before, &mut after, 2, true), [0; 4]);
    }

    #[test]
    fn differences_within_the_threshold_are_slight() {
        let (mut before, mut after) = ([0, 100, 100], [0, 101, 200]);
        assert_eq!(mask_of(&mut before, &mut after, 2, true), [SLIGHT, DIFFERENT]);
    }

    #[test]
    fn a_changed_pixel_on_an_edge_is_anti_aliased() {
        let edge = |middle: u8| -> Vec<u8> {
            let mut rows: Vec<u8> = (0..7).flat_map(|_| [0, 0, 0, 0, 255, 255, 255]).collect();
            rows[3 * 7 + 4] = middle;
            rows
        };
        let smooth = mask_of(&mut edge(255), &mut edge(128), 6, false);
        assert_eq!(smooth.iter().position(|mark| *mark == ANTI_ALIASED), Some(3 * 6 + 3));
        let exact = mask_of(&mut edge(255), &mut edge(128), 6, true);
        assert_eq!(exact.iter().position(|mark| *mark == DIFFERENT), Some(3 * 6 + 3));
    }

    #[test]
    fn what_only_one_image_has_is_different() {
        let (mut before, mut after) = ([0, 1, 2, 0, 3, 4], [0, 1, 9]);
        assert_eq!(mask_of(&mut before, &mut after, 2, true), [0, SLIGHT, 1, 1]);
    }
}
