//! One inflated image: rows are unfiltered in place, in order, and only as far as needed.

use crate::samples::{largest_index, Format, PALETTE};
use crate::unfilter::{unfilter, unfilter_pair, LAST_FILTER};

/// Why an image cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub enum ReadError {
    /// A row uses an unknown filter.
    Filter,
    /// A pixel uses an index beyond the palette.
    Index,
    /// The number of bytes does not fit the size.
    Length,
}

/// Inflated scanlines with a filter byte each.
pub struct Scanlines<'data> {
    /// How samples become colors.
    pub format: Format,
    /// Pixels of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    data: &'data mut [u8],
    /// Bytes from one row to the next.
    stride: usize,
    unfiltered: usize,
}

impl<'data> Scanlines<'data> {
    /// Take the inflated data of an image without interlacing, and check its filter bytes.
    ///
    /// The first `unfiltered` rows are unfiltered already.
    pub fn new(
        format: Format,
        (width, height): (usize, usize),
        data: &'data mut [u8],
        unfiltered: usize,
    ) -> Result<Self, ReadError> {
        let stride = 1 + format.row_bytes(width);
        if data.len() != stride * height || unfiltered > height {
            return Err(ReadError::Length);
        }
        if data.iter().step_by(stride).any(|filter| *filter > LAST_FILTER) {
            return Err(ReadError::Filter);
        }
        Ok(Self { format, width, height, data, stride, unfiltered })
    }

    /// Return how many rows are unfiltered.
    pub fn unfiltered(&self) -> usize {
        self.unfiltered
    }

    /// Return a row in its present form, with the filter byte.
    pub fn raw(&self, y: usize) -> &[u8] {
        &self.data[y * self.stride..(y + 1) * self.stride]
    }

    /// Unfilter all rows up to and including `y`.
    pub fn unfilter_through(&mut self, y: usize) {
        while self.unfiltered <= y {
            let at = self.unfiltered * self.stride;
            let (before, rest) = self.data.split_at_mut(at);
            let row = &mut rest[..self.stride];
            match self.unfiltered {
                0 => unfilter_first(row, self.format.step()),
                _ => unfilter_row(row, &before[at - self.stride..], self.format.step()),
            }
            self.unfiltered += 1;
        }
    }

    /// Put another image's unfiltered row of the same form in the place of row `y`.
    pub fn replace_row(&mut self, y: usize, row: &[u8]) {
        self.data[y * self.stride..(y + 1) * self.stride].copy_from_slice(row);
    }

    /// Declare that all rows are unfiltered.
    pub fn set_unfiltered(&mut self) {
        self.unfiltered = self.height;
    }

    /// Unfilter row `y` of two images; the rows above are unfiltered.
    ///
    /// With `same_above`, the first image's row above serves both images.
    pub fn unfilter_both(&mut self, other: &mut Scanlines, y: usize, same_above: bool) {
        let steps = (self.format.step(), other.format.step());
        let (row, above) = self.with_above(y);
        let (other_row, own_above) = other.with_above(y);
        let other_above = if same_above { above } else { own_above };
        if !unfilter_two(row, above, other_row, other_above, steps) {
            unfilter_row(row, above, steps.0);
            unfilter_row(other_row, other_above, steps.1);
        }
        (self.unfiltered, other.unfiltered) = (y + 1, y + 1);
    }

    /// Return row `y` and the row above, with their filter bytes.
    fn with_above(&mut self, y: usize) -> (&mut [u8], &[u8]) {
        let (above, row) = self.data[(y - 1) * self.stride..].split_at_mut(self.stride);
        (&mut row[..self.stride], above)
    }

    /// Return the bytes of a row without the filter byte.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.raw(y)[1..]
    }

    /// Convert the first pixels of an unfiltered row to RGBA, four bytes each.
    pub fn pixels(&self, y: usize, pixels: &mut [u8]) {
        self.format.convert(self.row(y), pixels);
    }

    /// Check that no pixel uses an index beyond the `entries` of the palette.
    pub fn check_indices(&mut self, entries: usize) -> Result<(), ReadError> {
        let depth = self.format.depth;
        if self.format.color != PALETTE || entries >= 1 << depth {
            return Ok(());
        }
        self.unfilter_through(self.height - 1);
        let used = |y: usize| largest_index(self.row(y), self.width, depth);
        match (0..self.height).any(|y| used(y) >= entries) {
            true => Err(ReadError::Index),
            false => Ok(()),
        }
    }
}

fn unfilter_first(row: &mut [u8], step: usize) {
    let zeros = vec![0; row.len()];
    unfilter_row(row, &zeros, step);
}

/// Unfilter a row and set the filter byte to none.
fn unfilter_row(row: &mut [u8], above: &[u8], step: usize) {
    let (filter, bytes) = row.split_at_mut(1);
    // All filters were checked, so none is unknown.
    let known = unfilter(filter[0], bytes, &above[1..], step);
    debug_assert!(known.is_ok());
    filter[0] = 0;
}

/// Try to unfilter two rows at once; return whether both are unfiltered.
fn unfilter_two(
    one: &mut [u8],
    one_above: &[u8],
    two: &mut [u8],
    two_above: &[u8],
    steps: (usize, usize),
) -> bool {
    if one.len() != two.len() || steps.0 != steps.1 || one[0] != two[0] {
        return false;
    }
    let filter = one[0];
    let rows = [(&mut one[1..], &one_above[1..]), (&mut two[1..], &two_above[1..])];
    let done = unfilter_pair(filter, rows, steps.0);
    if done {
        (one[0], two[0]) = (0, 0);
    }
    done
}

/// First column, first row, column step, row step of each pass of an interlaced image.
const PASSES: [(usize, usize, usize, usize); 7] = [
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
];

/// Return the inflated bytes of an interlaced image.
pub fn interlaced_bytes(format: &Format, width: usize, height: usize) -> usize {
    let sizes = PASSES.map(|pass| pass_size(pass, width, height));
    let filled = sizes.iter().filter(|(columns, rows)| *columns > 0 && *rows > 0);
    filled.map(|(columns, rows)| rows * (1 + format.row_bytes(*columns))).sum()
}

fn pass_size(pass: (usize, usize, usize, usize), width: usize, height: usize) -> (usize, usize) {
    let (left, top, across, down) = pass;
    let count = |size: usize, first: usize, step: usize| size.saturating_sub(first).div_ceil(step);
    (count(width, left, across), count(height, top, down))
}

/// Convert an interlaced image to RGBA rows, each after an untouched byte as in scanlines.
///
/// `entries` is the size of the image's palette.
pub fn read_interlaced(
    format: &Format,
    (width, height): (usize, usize),
    entries: usize,
    data: &mut [u8],
    target: &mut [u8],
) -> Result<(), ReadError> {
    if data.len() != interlaced_bytes(format, width, height) {
        return Err(ReadError::Length);
    }
    let mut rest = data;
    for pass in PASSES {
        let (columns, rows) = pass_size(pass, width, height);
        if columns == 0 || rows == 0 {
            continue;
        }
        let (part, after) = rest.split_at_mut(rows * (1 + format.row_bytes(columns)));
        rest = after;
        let mut lines = Scanlines::new(format.clone(), (columns, rows), part, 0)?;
        lines.check_indices(entries)?;
        place_pass(&mut lines, pass, width, target);
    }
    Ok(())
}

fn place_pass(
    lines: &mut Scanlines,
    (left, top, across, down): (usize, usize, usize, usize),
    width: usize,
    target: &mut [u8],
) {
    let stride = 1 + 4 * width;
    let mut row = vec![0; 4 * lines.width];
    for y in 0..lines.height {
        lines.unfilter_through(y);
        lines.pixels(y, &mut row);
        let line = &mut target[(top + y * down) * stride + 1..][..4 * width];
        let places = line.chunks_exact_mut(4).skip(left).step_by(across);
        places.zip(row.chunks_exact(4)).for_each(|(place, pixel)| place.copy_from_slice(pixel));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{GRAY, PALETTE, RGBA};

    /// Every pixel of an interlaced image of 8-bit gray has the number of its pass.
    fn numbered_passes(width: usize, height: usize) -> Vec<u8> {
        let mut data = Vec::new();
        for (number, pass) in PASSES.into_iter().enumerate() {
            let (columns, rows) = pass_size(pass, width, height);
            for _ in 0..if columns > 0 { rows } else { 0 } {
                data.push(0);
                data.extend(vec![number as u8 + 1; columns]);
            }
        }
        data
    }

    #[test]
    fn passes_fill_every_pixel_of_an_image_of_any_size_once() {
        let format = Format::new(8, GRAY, &[], &[]);
        for (width, height) in (1..20).flat_map(|width| (1..20).map(move |height| (width, height)))
        {
            let mut data = numbered_passes(width, height);
            assert_eq!(data.len(), interlaced_bytes(&format, width, height));
            let mut rows = vec![0; (1 + 4 * width) * height];
            read_interlaced(&format, (width, height), 0, &mut data, &mut rows).unwrap();
            for (y, row) in rows.chunks_exact(1 + 4 * width).enumerate() {
                for (x, pixel) in row[1..].chunks_exact(4).enumerate() {
                    let pass = PASSES.iter().position(|(left, top, across, down)| {
                        x >= *left && (x - left) % across == 0 && y >= *top && (y - top) % down == 0
                    });
                    assert_eq!(
                        usize::from(pixel[0]),
                        pass.unwrap() + 1,
                        "{x},{y} of {width}x{height}"
                    );
                }
            }
        }
    }

    #[test]
    fn wrong_lengths_filters_and_indices_are_errors() {
        let gray = Format::new(8, GRAY, &[], &[]);
        let new = |data: &mut [u8]| Scanlines::new(gray.clone(), (2, 2), data, 0).err();
        assert_eq!(new(&mut [0; 5]), Some(ReadError::Length));
        assert_eq!(new(&mut [0, 1, 2, 5, 3, 4]), Some(ReadError::Filter));
        assert_eq!(new(&mut [0; 6]), None);
        let palette = Format::new(1, PALETTE, &[0; 3], &[]);
        let mut data = [0, 0b0100_0000];
        let mut lines = Scanlines::new(palette, (2, 1), &mut data, 0).unwrap();
        assert_eq!(lines.check_indices(1), Err(ReadError::Index));
        assert_eq!(lines.check_indices(2), Ok(()));
    }

    #[test]
    fn rows_are_unfiltered_as_far_as_needed_and_once() {
        let mut data = [2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1];
        let mut lines =
            Scanlines::new(Format::new(8, RGBA, &[], &[]), (1, 3), &mut data, 0).unwrap();
        lines.unfilter_through(1);
        lines.unfilter_through(1);
        assert_eq!((lines.unfiltered(), lines.raw(1)), (2, &[0, 2, 2, 2, 2][..]));
        assert_eq!(lines.raw(2), [2, 1, 1, 1, 1]);
    }
}
