//! Find areas with differences below the threshold that are not noise.
//!
//! Rasterizing twice makes other pixels at the edges of shapes: single pixels, in short runs,
//! lighter here and darker there. A change on purpose differs by the same amount in an area or
//! along a line, or in one direction in all of a text, the darkest or brightest pixels included.

use std::slice::from_raw_parts_mut;

use crate::boxes::{Extent, Grid, MOST_BOXES, TILE};
use crate::difference::SLIGHT;
use crate::faint_pair::{is_candidate, Pair, CODE};
use crate::faint_runs::{is_in_area, Finder};
use crate::faint_strokes::find_strokes;
use crate::regions::{IgnoredPixels, Rectangle};
use crate::summary::is_blank;
use crate::{guard, slice_of, Box, Image};

/// In the mask: differs by no more than the threshold, as a part of such an area.
pub const FAINT: u8 = 4;

/// Fewer pixels near each other are where the edges of something else cross.
const FEWEST: usize = 16;

/// Faint areas of two images.
#[repr(C)]
pub struct FaintAreas {
    pixels: u64,
    box_count: u32,
    stroke_count: u32,
    boxes: [Box; MOST_BOXES],
    strokes: [Box; MOST_BOXES],
}

/// Find faint areas of two settled images, outside rectangles; mark them in the mask.
///
/// # Safety
/// All pointers are valid, the images were compared by `vr_mark` and settled by `vr_settle`, and
/// `mask` was written by `vr_mark`.
#[no_mangle]
pub unsafe extern "C" fn vr_find_faint(
    before: *const Image,
    after: *const Image,
    rectangles: *const Rectangle,
    rectangle_count: usize,
    mask: *mut u8,
    found: *mut FaintAreas,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (old, new, found) = unsafe { (&*before, &*after, &mut *found) };
        let (width, height) = (old.width.max(new.width) as usize, old.height.max(new.height));
        // SAFETY: as above.
        let mask = unsafe { from_raw_parts_mut(mask, width * height as usize) };
        let rectangles = unsafe { slice_of(rectangles, rectangle_count) };
        let pair = Pair {
            before: unsafe { old.pixels()? },
            after: unsafe { new.pixels()? },
            shared: (old.width.min(new.width) as usize, old.height.min(new.height) as usize),
            width,
        };
        let boxes = find_faint(&pair, rectangles, mask);
        found.pixels = boxes.iter().map(|each| count_faint(each, mask, pair.width) as u64).sum();
        let (strokes, pixels) = find_strokes(&pair, rectangles, mask);
        found.pixels += pixels;
        found.stroke_count = strokes.len() as u32;
        for (target, each) in found.strokes.iter_mut().zip(strokes) {
            *target = Box::from(each);
        }
        found.box_count = boxes.len() as u32;
        for (target, each) in found.boxes.iter_mut().zip(boxes) {
            *target = Box::from(each);
        }
        Ok(())
    })
}

/// Mark faint pixels, and return the boxes around all of them.
fn find_faint(pair: &Pair, rectangles: &[Rectangle], mask: &mut [u8]) -> Vec<Extent> {
    let Some(mut finder) = Finder::new(pair, mask) else { return Vec::new() };
    let mut ignored = IgnoredPixels::new(rectangles, pair.width);
    for y in 0..pair.shared.1 {
        finder.read_row(y, ignored.row(y), mask);
    }
    finder.end_runs(mask);
    let tiles = finder.tiles.select(pair, rectangles, mask);
    let (count, grid) = settle_marks(pair, rectangles, &tiles, mask);
    let boxes = if count > 0 { grid.boxes(MOST_BOXES) } else { Vec::new() };
    let (large, small): (Vec<_>, Vec<_>) =
        boxes.into_iter().partition(|each| count_faint(each, mask, pair.width) >= FEWEST);
    for each in small {
        for row in rows_of(&each, pair.width) {
            for mark in mask[row].iter_mut().filter(|mark| **mark == FAINT) {
                *mark = SLIGHT;
            }
        }
    }
    large
}

fn count_faint(extent: &Extent, mask: &[u8], width: usize) -> usize {
    rows_of(extent, width).map(|row| mask[row].iter().filter(|mark| **mark == FAINT).count()).sum()
}

fn rows_of(extent: &Extent, width: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let (left, end) = (extent.left, extent.right + 1);
    (extent.top..=extent.bottom).map(move |y| y * width + left..y * width + end)
}

/// Turn the marks of runs, and tiles, into faint pixels; return their number and their tiles.
fn settle_marks(
    pair: &Pair,
    rectangles: &[Rectangle],
    tiles: &[bool],
    mask: &mut [u8],
) -> (u64, Grid) {
    let (width, height) = (pair.width, mask.len() / pair.width);
    let (mut count, mut grid) = (0, Grid::new(width, height));
    let mut ignored = IgnoredPixels::new(rectangles, width);
    let columns = pair.shared.0.div_ceil(TILE);
    for y in 0..pair.shared.1 {
        let row = &mut mask[y * width..][..pair.shared.0];
        if is_blank(row) {
            continue;
        }
        let flags = ignored.row(y);
        for (x, mark) in row.iter_mut().enumerate().filter(|(_, mark)| **mark & CODE == SLIGHT) {
            let is_faint = is_in_area(*mark)
                || (tiles[y / TILE * columns + x / TILE]
                    && !flags.is_some_and(|flags| flags[x])
                    && is_candidate(SLIGHT, pair.delta(x, y)));
            *mark = if is_faint { FAINT } else { SLIGHT };
            if is_faint {
                count += 1;
                grid.add(x / TILE, y, Extent::of_row(x, x, y));
            }
        }
    }
    (count, grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::Pixels;

    const SIZE: usize = 64;

    fn page(shade: impl Fn(usize, usize) -> u8) -> Vec<u8> {
        (0..SIZE)
            .flat_map(|y| {
                let row: Vec<u8> = (0..SIZE).flat_map(|x| [shade(x, y); 3]).collect();
                std::iter::once(0).chain(row)
            })
            .collect()
    }

    fn found(after: &[u8], rectangles: &[Rectangle]) -> (Vec<Extent>, usize) {
        let before = page(|_, _| 240);
        let (old, new) = (Pixels::new(&before, SIZE, 3), Pixels::new(after, SIZE, 3));
        let places = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
        let mut mask: Vec<u8> =
            places.map(|(x, y)| u8::from(old.get(x, y) != new.get(x, y)) * SLIGHT).collect();
        let pair = Pair { before: old, after: new, shared: (SIZE, SIZE), width: SIZE };
        let boxes = find_faint(&pair, rectangles, &mut mask);
        (boxes, mask.iter().filter(|mark| **mark == FAINT).count())
    }

    fn is_card(x: usize, y: usize) -> bool {
        (10..40).contains(&x) && (12..32).contains(&y)
    }

    #[test]
    fn an_area_of_another_shade_is_faint() {
        let (boxes, pixels) = found(&page(|x, y| if is_card(x, y) { 234 } else { 240 }), &[]);
        assert_eq!(pixels, 30 * 20);
        assert_eq!(boxes.len(), 1);
        let card = &boxes[0];
        assert_eq!((card.left, card.top, card.right, card.bottom), (10, 12, 39, 31));
    }

    #[test]
    fn single_pixels_are_noise() {
        let (boxes, pixels) =
            found(&page(|x, y| if x % 9 == 4 && y % 7 == 3 { 234 } else { 240 }), &[]);
        assert_eq!((boxes.len(), pixels), (0, 0));
    }

    #[test]
    fn an_ignored_area_is_not_looked_at() {
        let card = page(|x, y| if is_card(x, y) { 234 } else { 240 });
        let region = Rectangle { left: 8, top: 10, right: 42, bottom: 34 };
        let (boxes, pixels) = found(&card, &[region]);
        assert_eq!((boxes.len(), pixels), (0, 0));
    }
}
