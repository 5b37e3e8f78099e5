//! Pixels of two compared images in any order, for whatever looks at a difference more closely.

use crate::image::Scanlines;

/// An unfiltered image of 8-bit samples, with 3 bytes a pixel, or 4 with alpha.
#[derive(Clone, Copy)]
pub struct Pixels<'data> {
    data: &'data [u8],
    width: usize,
    stride: usize,
    step: usize,
}

impl<'data> Pixels<'data> {
    /// `data` has rows with a filter byte each; `step` is the bytes of a pixel.
    pub fn new(data: &'data [u8], width: usize, step: usize) -> Self {
        Self { data, width, stride: 1 + step * width, step }
    }

    /// Return a pixel as red, green, blue and alpha, from the lowest byte on.
    #[inline(always)]
    pub fn get(&self, x: usize, y: usize) -> u32 {
        let at = y * self.stride + 1 + x * self.step;
        let bytes = &self.data[at..at + self.step];
        let alpha = if self.step == 4 { bytes[3] } else { 255 };
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], alpha])
    }

    /// Return the pixels of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Return the number of rows.
    pub fn height(&self) -> usize {
        self.data.len() / self.stride
    }

    /// Copy a part of a row, from column `x` on.
    pub fn load(&self, x: usize, y: usize, target: &mut [u32]) {
        let start = y * self.stride + 1 + x * self.step;
        let bytes = &self.data[start..start + target.len() * self.step];
        if self.step == 4 {
            for (pixel, color) in target.iter_mut().zip(bytes.chunks_exact(4)) {
                *pixel = u32::from_le_bytes([color[0], color[1], color[2], color[3]]);
            }
        } else {
            for (pixel, color) in target.iter_mut().zip(bytes.chunks_exact(3)) {
                *pixel = u32::from_le_bytes([color[0], color[1], color[2], 255]);
            }
        }
    }

    /// Convert the pixels of row `y` from `left` on with `get`.
    pub fn convert_row<T>(
        &self,
        y: usize,
        left: usize,
        target: &mut [T],
        convert: impl Fn(u32) -> T,
    ) {
        let row = &self.data[y * self.stride + 1 + left * self.step..(y + 1) * self.stride];
        if self.step == 4 {
            for (target, bytes) in target.iter_mut().zip(row.chunks_exact(4)) {
                *target = convert(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
            }
        } else {
            // Reading a byte more than a pixel has is faster than three single ones.
            let Some((last, rest)) = target.split_last_mut() else { return };
            for (target, bytes) in rest.iter_mut().zip(row.windows(4).step_by(3)) {
                let pixel = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                *target = convert(pixel | 0xff00_0000);
            }
            let at = 3 * rest.len();
            *last = convert(u32::from_le_bytes([row[at], row[at + 1], row[at + 2], 255]));
        }
    }

    /// Copy a rectangle within the image as RGBA, four bytes a pixel.
    pub fn crop(&self, left: usize, top: usize, width: usize, target: &mut [u8]) {
        for (y, row) in (top..).zip(target.chunks_exact_mut(4 * width)) {
            let start = y * self.stride + 1 + left * self.step;
            let bytes = &self.data[start..start + width * self.step];
            if self.step == 4 {
                row.copy_from_slice(bytes);
                continue;
            }
            for (pixel, color) in row.chunks_exact_mut(4).zip(bytes.chunks_exact(3)) {
                pixel.copy_from_slice(&[color[0], color[1], color[2], 255]);
            }
        }
    }
}

/// Unfilter all rows of two images after `mask` was written.
///
/// Equal rows of the later image may still be filtered below different ones, so equal rows are
/// copied from the earlier image.
pub fn settle(before: &mut Scanlines, after: &mut Scanlines, mask: &[u8]) {
    before.unfilter_through(before.height - 1);
    let same_form = before.format == after.format
        && (before.width, before.height) == (after.width, after.height);
    if !same_form {
        return after.unfilter_through(after.height - 1);
    }
    for (y, marks) in mask.chunks_exact(before.width).enumerate() {
        if marks.iter().all(|mark| *mark == 0) {
            after.replace_row(y, before.raw(y));
        }
    }
    after.set_unfiltered();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Format, RGB};

    #[test]
    fn equal_rows_below_different_ones_are_settled() {
        let format = Format::new(8, RGB, &[], &[]);
        // The second row repeats the one above, the third one as well.
        let mut before = [0, 1, 2, 3, 0, 5, 5, 5, 2, 0, 0, 0];
        let mut after = [0, 9, 9, 9, 0, 5, 5, 5, 2, 0, 0, 0];
        let mut old = Scanlines::new(format.clone(), (1, 3), &mut before, 0).unwrap();
        let mut new = Scanlines::new(format, (1, 3), &mut after, 0).unwrap();
        settle(&mut old, &mut new, &[1, 0, 0]);
        assert_eq!((new.row(0), new.row(1), new.row(2)), (&[9; 3][..], &[5; 3][..], &[5; 3][..]));
        assert_eq!(new.unfiltered(), 3);
    }

    #[test]
    fn a_crop_has_the_pixels_of_its_rectangle_as_rgba() {
        let data = [0, 1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11, 12];
        let mut target = [0; 8];
        Pixels::new(&data, 2, 3).crop(1, 0, 1, &mut target);
        assert_eq!(target, [4, 5, 6, 255, 10, 11, 12, 255]);
    }
}
