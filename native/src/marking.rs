//! Mark every pixel of the union of two images in which they differ.
//!
//! Inflated rows are compared with their filters: where two rows are equal and the rows above are
//! equal too, their pixels are equal, and nothing is unfiltered. In differing rows the pixels are
//! compared; only differing pixels are checked for anti-aliasing.

use crate::antialiasing::{mark_anti_aliased, Neighborhood};
use crate::difference::{mark_row, Threshold, DIFFERENT};
use crate::flatness::Flatness;
use crate::image::Scanlines;
use crate::window::Window;

/// How strict a comparison is.
pub struct Options {
    /// The largest squared distance of equal pixels.
    pub threshold: Threshold,
    /// Whether anti-aliased pixels count as different.
    pub include_anti_aliased: bool,
}

/// An anti-aliased pixel is recognized by its neighbors and their neighbors.
const REACH: usize = 2;

/// Write the mask of the union, row by row; `mask` has zeros.
///
/// Pixels in only one image are different.
pub fn mark<'data>(
    before: &mut Scanlines<'data>,
    after: &mut Scanlines<'data>,
    options: &Options,
    mask: &mut [u8],
) {
    let width = before.width.max(after.width);
    let shared = (before.width.min(after.width), before.height.min(after.height));
    for (y, row) in mask.chunks_exact_mut(width).enumerate() {
        let own = if y < shared.1 { shared.0 } else { 0 };
        row[own..].fill(DIFFERENT);
    }
    let pair = Pair::new(before, after, shared);
    match pair.plain_step() {
        Some(3) => walk::<3>(pair, options, mask, width),
        _ => walk::<4>(pair, options, mask, width),
    }
}

fn walk<const STEP: usize>(pair: Pair, options: &Options, mask: &mut [u8], width: usize) {
    let (is_plain, flatness) = (pair.plain_step().is_some(), Flatness::new(pair.shared.0));
    Walk::<STEP> { pair, options, is_plain, pending: [0; 8], flatness }.run(mask, width);
}

/// Two images whose rows are read from the top.
struct Pair<'a, 'data> {
    before: &'a mut Scanlines<'data>,
    after: &'a mut Scanlines<'data>,
    /// Width and height of the part in both images.
    shared: (usize, usize),
    /// Whether rows can be compared before unfiltering.
    comparable: bool,
    /// Whether the bytes of the row above are equal.
    above_equal: bool,
    /// Rows of equal pixels; the rows of `after` may still be filtered.
    equal: Vec<bool>,
    /// Rows as RGBA, for where scanlines have other pixels.
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
        let [old, new] = [Window::new(shared.0), Window::new(shared.0)];
        let equal = vec![false; shared.1];
        Self { before, after, shared, comparable, above_equal: true, equal, old, new }
    }

    /// Return the bytes of a pixel, the same in both, if scanlines need no conversion.
    fn plain_step(&self) -> Option<usize> {
        let step = self.before.format.plain_step();
        step.filter(|_| step == self.after.format.plain_step())
    }

    /// Unfilter row `y` of both as far as needed, and return whether their pixels are the same.
    fn read(&mut self, y: usize) -> bool {
        let same_data = self.is_equal_filtered(y);
        self.equal[y] = same_data || self.is_equal_unfiltered(y);
        // Other bytes may be the same pixels (16 bits, a color twice in a palette, bits after the
        // last pixel), but the filters of the next row look at bytes.
        let same_bytes = || self.plain_step().is_some() || self.before.raw(y) == self.after.raw(y);
        self.above_equal = same_data || (self.equal[y] && same_bytes());
        self.equal[y]
    }

    fn is_equal_filtered(&self, y: usize) -> bool {
        let (old, new) = (self.before.raw(y), self.after.raw(y));
        // Filters 0 and 1 do not depend on the row above.
        self.comparable && old == new && (self.above_equal || old[0] <= 1)
    }

    fn is_equal_unfiltered(&mut self, y: usize) -> bool {
        self.unfilter(y);
        match self.plain_step() {
            Some(step) => {
                let length = self.shared.0 * step;
                self.before.row(y)[..length] == self.after.row(y)[..length]
            }
            None => {
                self.convert(y);
                self.old.row(y) == self.new.row(y)
            }
        }
    }

    fn unfilter(&mut self, y: usize) {
        // An equal row above may be filtered still, but the other image's row above is not.
        let same_above = self.comparable && self.above_equal;
        if y == 0 || self.before.unfiltered() > y || self.after.unfiltered() > y {
            self.before.unfilter_through(y);
            self.after.unfilter_through(y);
            return;
        }
        self.before.unfilter_through(y - 1);
        if !same_above {
            self.after.unfilter_through(y - 1);
        }
        self.before.unfilter_both(self.after, y, same_above);
    }

    /// Convert row `y` of both to RGBA.
    fn convert(&mut self, y: usize) {
        self.before.unfilter_through(y);
        self.old.load(y, self.before);
        self.new.load(y, if self.equal[y] { self.before } else { self.after });
    }

    /// Return row `y` of both without converting, with pixels of `step` bytes.
    fn plain(&self, y: usize, step: usize) -> [&[u8]; 2] {
        let new = if self.equal[y] { &*self.before } else { &*self.after };
        [self.before.row(y), new.row(y)].map(|row| &row[..self.shared.0 * step])
    }

    /// Return row `y` of both as RGBA, converted before.
    fn converted(&self, y: usize) -> [&[u8]; 2] {
        [self.old.row(y), self.new.row(y)]
    }
}

/// More different pixels than one of so many are looked at together.
const DENSE: usize = 16;

/// Goes down both images. Plain scanlines have pixels of `STEP` bytes; others are converted to 4.
struct Walk<'a, 'data, const STEP: usize> {
    pair: Pair<'a, 'data>,
    options: &'a Options,
    is_plain: bool,
    /// Numbers of different pixels, by row modulo 8, whose neighbors were not looked at yet.
    pending: [usize; 8],
    flatness: Flatness,
}

impl<const STEP: usize> Walk<'_, '_, STEP> {
    fn run(&mut self, mask: &mut [u8], width: usize) {
        let (shared_width, height) = self.pair.shared;
        for y in 0..height + REACH {
            if y < height && !self.pair.read(y) {
                self.compare(y, &mut mask[y * width..][..shared_width]);
            }
            // The rows below a pixel have to be read before the pixel's neighbors are compared.
            if y >= REACH {
                let row = y - REACH;
                let count = std::mem::take(&mut self.pending[row % 8]);
                if count > 0 {
                    self.find_anti_aliased(row, count, &mut mask[row * width..][..shared_width]);
                }
            }
        }
    }

    fn compare(&mut self, y: usize, mask: &mut [u8]) {
        let pair = &self.pair;
        let [old, new] = if self.is_plain { pair.plain(y, STEP) } else { pair.converted(y) };
        let count = mark_row::<STEP>(old, new, y * pair.shared.0, self.options.threshold, mask);
        if !self.options.include_anti_aliased {
            self.pending[y % 8] = count;
        }
    }

    fn find_anti_aliased(&mut self, y: usize, count: usize, mask: &mut [u8]) {
        let height = self.pair.shared.1;
        let near = y.saturating_sub(REACH)..(y + REACH + 1).min(height);
        let is_dense = count > mask.len() / DENSE;
        let is_plain = self.is_plain && !is_dense;
        match is_plain {
            true => self.pair.before.unfilter_through(near.end - 1),
            false => near.for_each(|row| self.pair.convert(row)),
        }
        if is_plain {
            let [old, new] = around::<STEP>(y, height, |row| self.pair.plain(row, STEP));
            return mark_anti_aliased(&old, &new, None, mask);
        }
        let [old, new] = around::<4>(y, height, |row| self.pair.converted(row));
        if !is_dense {
            return mark_anti_aliased(&old, &new, None, mask);
        }
        for row in y.saturating_sub(1)..(y + 2).min(height) {
            let inner = row > 0 && row + 1 < height;
            let images = [&self.pair.old, &self.pair.new];
            self.flatness.load(row, inner.then(|| images.map(|image| image.three(row))));
        }
        mark_anti_aliased(&old, &new, Some(self.flatness.possible(y)), mask);
    }
}

/// Collect rows `y - 2` to `y + 2` of both images; rows beyond the images are empty.
fn around<'rows, const STEP: usize>(
    y: usize,
    height: usize,
    row: impl Fn(usize) -> [&'rows [u8]; 2],
) -> [Neighborhood<'rows, STEP>; 2] {
    let rows: [[&[u8]; 2]; 5] = std::array::from_fn(|at| match (y + at).checked_sub(REACH) {
        Some(near) if near < height => row(near),
        _ => [[].as_slice(); 2],
    });
    [0, 1].map(|image| Neighborhood { rows: rows.map(|pair| pair[image]), y, height })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::{ANTI_ALIASED, SLIGHT};
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
        // The filter of the second row adds the row above.
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
    fn filters_look_at_the_bytes_of_rows_with_the_same_pixels() {
        let format = Format::new(1, GRAY, &[], &[]);
        // One pixel; the second row adds 1 to the unused bits at the end of the first row.
        let (mut before, mut after) = ([0, 0x7f, 2, 1], [0, 0, 2, 1]);
        let mut old = Scanlines::new(format.clone(), (1, 2), &mut before, 0).unwrap();
        let mut new = Scanlines::new(format, (1, 2), &mut after, 0).unwrap();
        let options = Options { threshold: Threshold::new(0.1), include_anti_aliased: true };
        let mut mask = [0; 2];
        mark(&mut old, &mut new, &options, &mut mask);
        assert_eq!(mask, [0, DIFFERENT]);
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
