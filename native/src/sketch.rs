//! A small description of an image in a rectangle, explained in reference/pair.py.

use crate::pixels::Pixels;
use crate::{guard, Box, Image};
use std::slice::from_raw_parts_mut;

const CELL: usize = 8;
const MOST_INK: i64 = 32_767;
const MIDDLE: i64 = 128;
const OPAQUE: u32 = 255;

/// The sketch without cells and rows.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Sketch {
    background: u32,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    is_opaque: bool,
    tint: [i64; 3],
}

/// Describe a rectangle within a settled image.
///
/// # Safety
/// All pointers are valid; `lumas` and `hues` have room for all cells of the area, `ink` for all
/// rows.
#[no_mangle]
pub unsafe extern "C" fn vr_sketch(
    image: *const Image,
    area: *const Box,
    sketch: *mut Sketch,
    lumas: *mut u8,
    hues: *mut u8,
    ink: *mut i16,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (pixels, area) = unsafe { ((*image).pixels()?, *area) };
        let [left, top, width, height] =
            [area.x, area.y, area.width, area.height].map(|n| n as usize);
        let cells = width.div_ceil(CELL) * height.div_ceil(CELL);
        // SAFETY: as above.
        let (lumas, hues, ink) = unsafe {
            (
                from_raw_parts_mut(lumas, cells),
                from_raw_parts_mut(hues, cells),
                from_raw_parts_mut(ink, height),
            )
        };
        let view = View::read(&pixels, (left, top), (width, height));
        // SAFETY: as above.
        unsafe { *sketch = view.describe(lumas, hues, ink) };
        Ok(())
    })
}

/// The pixels of a rectangle.
struct View {
    colors: Vec<u32>,
    width: usize,
    background: u32,
}

impl View {
    fn read(pixels: &Pixels, (left, top): (usize, usize), (width, height): (usize, usize)) -> Self {
        let mut colors = vec![0; width * height];
        for (y, row) in (top..).zip(colors.chunks_exact_mut(width)) {
            pixels.load(left, y, row);
        }
        let background = find_background(&colors);
        Self { colors, width, background }
    }

    fn describe(&self, lumas: &mut [u8], hues: &mut [u8], ink: &mut [i16]) -> Sketch {
        let [red, green, blue, _] = self.background.to_le_bytes();
        let is_opaque = self.colors.iter().all(|color| color >> 24 == OPAQUE);
        let background = u32::from_le_bytes([red, green, blue, 0]);
        let mut found = Sketch { background, is_opaque, ..Sketch::default() };
        let is_inked = |color: &u32| *color != self.background;
        let rows: Vec<_> = self.colors.chunks_exact(self.width).collect();
        let Some(top) = rows.iter().position(|row| row.iter().any(is_inked)) else { return found };
        let bottom = rows.iter().rposition(|row| row.iter().any(is_inked)).map_or(0, |y| y + 1);
        let inked = rows[top..bottom].iter();
        let left = inked.clone().filter_map(|row| row.iter().position(is_inked)).min().unwrap_or(0);
        let right = inked.filter_map(|row| row.iter().rposition(is_inked)).max().unwrap_or(0) + 1;
        let mut at = 0;
        for y in (top..bottom).step_by(CELL) {
            for x in (left..right).step_by(CELL) {
                let part = &rows[y..(y + CELL).min(bottom)];
                (lumas[at], hues[at]) = self.mean(part, x..(x + CELL).min(right));
                at += 1;
            }
        }
        for (target, row) in ink.iter_mut().zip(&rows[top..bottom]) {
            *target = self.weigh_row(row);
        }
        let sides = [left, top, right - left, bottom - top].map(|n| n as u32);
        [found.x, found.y, found.width, found.height] = sides;
        found.tint = self.distance(&self.colors);
        found
    }

    /// Return the mean lightness and hue of a cell; pixels beyond the cell's part are background.
    fn mean(&self, rows: &[&[u32]], columns: std::ops::Range<usize>) -> (u8, u8) {
        let base = channels(self.background);
        let all = (CELL * CELL) as i64;
        let mut sums = base.map(|each| each * (all - (rows.len() * columns.len()) as i64));
        for color in rows.iter().flat_map(|row| &row[columns.clone()]) {
            sums.iter_mut().zip(channels(*color)).for_each(|(sum, each)| *sum += each);
        }
        let [red, green, blue] = sums.map(|sum| sum / all);
        let luma = (77 * red + 150 * green + 29 * blue) >> 8;
        (luma as u8, (MIDDLE + ((red - blue) >> 1)) as u8)
    }

    /// Return how much darker a row is than the background, positive or negative.
    fn weigh_row(&self, row: &[u32]) -> i16 {
        let [red, green, blue] = self.distance(row).map(|each| -each);
        let weight = (red + 2 * green + blue).div_euclid(4);
        weight.clamp(-MOST_INK, MOST_INK) as i16
    }

    /// Return the sum of the distances from the background, for each channel.
    fn distance(&self, colors: &[u32]) -> [i64; 3] {
        let mut sums = channels(self.background).map(|each| -each * colors.len() as i64);
        for color in colors {
            sums.iter_mut().zip(channels(*color)).for_each(|(sum, each)| *sum += each);
        }
        sums
    }
}

/// Return the most common color, of equally common colors the first by its bytes.
fn find_background(colors: &[u32]) -> u32 {
    let mut sorted: Vec<u32> = colors.iter().map(|color| color.swap_bytes()).collect();
    sorted.sort_unstable();
    let (mut best, mut most) = (0, 0);
    for run in sorted.chunk_by(|one, two| one == two) {
        if run.len() > most {
            (best, most) = (run[0], run.len());
        }
    }
    best.swap_bytes()
}

fn channels(color: u32) -> [i64; 3] {
    let [red, green, blue, _] = color.to_le_bytes().map(i64::from);
    [red, green, blue]
}
