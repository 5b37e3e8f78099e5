//! Rectangles of pixels for measuring two images.

use crate::pixels::Pixels;

/// A rectangle that may reach beyond an image: columns from `left` to before `right`.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// First column.
    pub left: i64,
    /// First row.
    pub top: i64,
    /// The column after the last.
    pub right: i64,
    /// The row after the last.
    pub bottom: i64,
}

impl Area {
    /// Return the area with a margin on all sides.
    pub fn grow(&self, margin: i64) -> Self {
        Self {
            left: self.left - margin,
            top: self.top - margin,
            right: self.right + margin,
            bottom: self.bottom + margin,
        }
    }

    /// Return the area so far to the left and above.
    pub fn back(&self, (x, y): (i64, i64)) -> Self {
        let (left, right) = (self.left - x, self.right - x);
        Self { left, top: self.top - y, right, bottom: self.bottom - y }
    }

    /// Return the part of the area within an image.
    pub fn clip(&self, image: &Pixels) -> Self {
        let (width, height) = (image.width() as i64, image.height() as i64);
        let (left, top) = (self.left.clamp(0, width), self.top.clamp(0, height));
        let (right, bottom) = (self.right.clamp(left, width), self.bottom.clamp(top, height));
        Self { left, top, right, bottom }
    }

    /// Return the area's width and height.
    pub fn size(&self) -> (usize, usize) {
        ((self.right - self.left) as usize, (self.bottom - self.top) as usize)
    }

    /// Return whether the area has a pixel.
    pub fn holds(&self, x: i64, y: i64) -> bool {
        (self.left..self.right).contains(&x) && (self.top..self.bottom).contains(&y)
    }

    /// Return the number of the area's pixels.
    pub fn pixels(&self) -> usize {
        self.size().0 * self.size().1
    }
}
