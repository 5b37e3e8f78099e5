//! Align two images between which content moved: find the moves, and account for every pixel.

mod accounting;
mod anchors;
mod interface;
mod moves;
mod rectangles;
mod scores;

pub use accounting::{LOST, NEW};
pub use interface::FoundMove;

/// A rectangle of pixels: columns `left..right`, rows `top..bottom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// The column after the last.
    pub right: usize,
    /// The row after the last.
    pub bottom: usize,
}

impl Span {
    /// Return the number of columns.
    pub fn width(&self) -> usize {
        self.right - self.left
    }

    /// Return the number of rows.
    pub fn height(&self) -> usize {
        self.bottom - self.top
    }
}

/// Content in `target` of the later image, and (dx, dy) away from there in the earlier image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Place of the content in the later image.
    pub target: Span,
    /// Distance of the move to the right.
    pub dx: isize,
    /// Distance of the move down.
    pub dy: isize,
}

impl Move {
    /// Return where a pixel of the target was.
    pub fn source(&self, x: usize, y: usize) -> (usize, usize) {
        (x.wrapping_add_signed(-self.dx), y.wrapping_add_signed(-self.dy))
    }
}
