//! The last rows of an image as pixels.

use crate::image::Scanlines;

/// More than the five rows around a pixel, and a power of two.
const ROWS: usize = 8;

/// Rows of pixels that were read lately.
pub struct Window {
    rows: [Vec<u32>; ROWS],
    loaded: [Option<usize>; ROWS],
}

impl Window {
    /// Keep the first `width` pixels of each row.
    pub fn new(width: usize) -> Self {
        Self { rows: std::array::from_fn(|_| vec![0; width]), loaded: [None; ROWS] }
    }

    /// Read an unfiltered row, unless it is there already.
    pub fn load(&mut self, y: usize, image: &Scanlines) {
        if self.loaded[y % ROWS] != Some(y) {
            image.pixels(y, &mut self.rows[y % ROWS]);
            self.loaded[y % ROWS] = Some(y);
        }
    }

    /// Read an unfiltered row, and return it.
    pub fn row(&mut self, y: usize, image: &Scanlines) -> &[u32] {
        self.load(y, image);
        &self.rows[y % ROWS]
    }

    /// Return the loaded rows `y - 2` to `y + 2`; those beyond the image are empty.
    pub fn around(&self, y: usize, height: usize) -> [&[u32]; 5] {
        std::array::from_fn(|at| match (y + at).checked_sub(2) {
            Some(near) if near < height => self.rows[near % ROWS].as_slice(),
            _ => &[],
        })
    }
}
