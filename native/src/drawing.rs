//! Draw a mask over a faded image, as rows of palette indices.

use crate::difference::{ANTI_ALIASED, DIFFERENT};
use crate::faint::FAINT;
use crate::image::Scanlines;
use crate::regions::{IgnoredPixels, Rectangle};
use crate::summary::is_blank;

/// Few shades of gray: the image compresses well and only has to give orientation.
const SHADES: u32 = 32;
const BLANK: u8 = 31;
const CHANGED: u8 = 32;
const SMOOTHED: u8 = 33;
const HATCHED: u8 = 34;
const HATCHED_CHANGE: u8 = 35;
const FAINTLY_CHANGED: u8 = 36;
const HATCH_PERIOD: usize = 8;
const HATCH_WIDTH: usize = 2;

/// Write rows of a filter byte and `width` indices each; `width` is the width of the union.
///
/// The taller image is on top of the other, so that inserted rows are visible in place.
pub fn draw(
    before: &mut Scanlines,
    mut after: Option<&mut Scanlines>,
    width: usize,
    mask: &[u8],
    rectangles: &[Rectangle],
    canvas: &mut [u8],
) {
    let after_on_top = after.as_ref().is_some_and(|after| after.height > before.height);
    let mut ignored = IgnoredPixels::new(rectangles, width);
    let mut pixels = Vec::new();
    for (y, marks) in mask.chunks_exact(width).enumerate() {
        let row = &mut canvas[y * (width + 1)..][..width + 1];
        row[0] = 0;
        let row = &mut row[1..];
        row.fill(BLANK);
        if after_on_top {
            fade(before, y, &mut pixels, row);
        }
        if let Some(after) = after.as_deref_mut() {
            fade(after, y, &mut pixels, row);
        }
        if !after_on_top {
            fade(before, y, &mut pixels, row);
        }
        paint(row, y, marks, ignored.row(y));
    }
}

fn fade(image: &mut Scanlines, y: usize, pixels: &mut Vec<u8>, row: &mut [u8]) {
    if y >= image.height {
        return;
    }
    image.unfilter_through(y);
    pixels.resize(4 * image.width, 0);
    image.pixels(y, pixels);
    shade_row(pixels, row);
}

fn shade_row(pixels: &[u8], row: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { shade_row_avx2(pixels, row) };
    }
    shade_pixels(pixels, row);
}

/// The same code, compiled for wider vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn shade_row_avx2(pixels: &[u8], row: &mut [u8]) {
    shade_pixels(pixels, row);
}

#[inline(always)]
fn shade_pixels(pixels: &[u8], row: &mut [u8]) {
    for (index, pixel) in row.iter_mut().zip(pixels.chunks_exact(4)) {
        *index = shade(u32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]));
    }
}

#[inline(always)]
fn shade(pixel: u32) -> u8 {
    let (red, green, blue) = (pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255);
    // In 1/256; the sum of the weights is 256, so that white stays white.
    let luma = (red * 77 + green * 150 + blue * 29) >> 8;
    let alpha = pixel >> 24;
    let over_white = (luma * alpha + 255 * (255 - alpha)) / 255;
    (over_white * SHADES / 256) as u8
}

fn paint(row: &mut [u8], y: usize, marks: &[u8], ignored: Option<&[bool]>) {
    let Some(ignored) = ignored else {
        if is_blank(marks) {
            return;
        }
        for (index, mark) in row.iter_mut().zip(marks) {
            *index = match *mark {
                DIFFERENT => CHANGED,
                ANTI_ALIASED => SMOOTHED,
                FAINT => FAINTLY_CHANGED,
                _ => *index,
            };
        }
        return;
    };
    for (x, ((index, mark), flag)) in row.iter_mut().zip(marks).zip(ignored).enumerate() {
        let hatched = *flag && (x + y) % HATCH_PERIOD < HATCH_WIDTH;
        *index = match (*mark, *flag) {
            // Changes in a region are shown, too: people check their regions with this image.
            (DIFFERENT, true) => HATCHED_CHANGE,
            (DIFFERENT, false) => CHANGED,
            (ANTI_ALIASED, false) => SMOOTHED,
            (FAINT, false) => FAINTLY_CHANGED,
            _ if hatched => HATCHED,
            _ => *index,
        };
    }
}
