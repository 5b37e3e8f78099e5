//! Rectangles whose differences are ignored.

/// A rectangle in pixels: columns `left..right`, rows `top..bottom`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Rectangle {
    /// First column.
    pub left: u32,
    /// First row.
    pub top: u32,
    /// The column after the last.
    pub right: u32,
    /// The row after the last.
    pub bottom: u32,
}

/// Ignored pixels of a row, filled again for each row.
pub struct IgnoredPixels<'a> {
    rectangles: &'a [Rectangle],
    flags: Vec<bool>,
}

impl<'a> IgnoredPixels<'a> {
    /// `width` is the width of the rows.
    pub fn new(rectangles: &'a [Rectangle], width: usize) -> Self {
        Self { rectangles, flags: vec![false; width] }
    }

    /// Return the flags of row `y`, or None if no pixel of the row is ignored.
    pub fn row(&mut self, y: usize) -> Option<&[bool]> {
        let touches = |each: &&Rectangle| (each.top as usize..each.bottom as usize).contains(&y);
        if !self.rectangles.iter().any(|each| touches(&each)) {
            return None;
        }
        self.flags.fill(false);
        for each in self.rectangles.iter().filter(touches) {
            let right = (each.right as usize).min(self.flags.len());
            let left = (each.left as usize).min(right);
            self.flags[left..right].fill(true);
        }
        Some(&self.flags)
    }
}
