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
