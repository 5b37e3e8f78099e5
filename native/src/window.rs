//! The last rows of an image as RGBA pixels.

use crate::image::Scanlines;

/// More than the five rows around a pixel.
const ROWS: usize = 8;

/// Rows converted lately, four bytes a pixel.
pub struct Window {
    rows: [Vec<u8>; ROWS],
    loaded: [Option<usize>; ROWS],
}

impl Window {
    /// Keep the first `width` pixels of each row.
    pub fn new(width: usize) -> Self {
        Self { rows: std::array::from_fn(|_| vec![0; 4 * width]), loaded: [None; ROWS] }
    }

    /// Convert an unfiltered row, unless the window has the row.
    pub fn load(&mut self, y: usize, image: &Scanlines) {
        if self.loaded[y % ROWS] != Some(y) {
            image.pixels(y, &mut self.rows[y % ROWS]);
            self.loaded[y % ROWS] = Some(y);
        }
    }

    /// Return a loaded row.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.rows[y % ROWS]
    }

    /// Return the loaded rows above, at and below row `y`.
    pub fn three(&self, y: usize) -> [&[u8]; 3] {
        [y - 1, y, y + 1].map(|near| self.row(near))
    }
}
