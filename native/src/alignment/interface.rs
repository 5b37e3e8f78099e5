//! The C interface of the alignment.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use super::accounting::{MaskedPair, SizedImage};
use super::anchors::Fingerprints;
use super::moves::{find_moves, MOST_MOVES};
use super::scores::Field;
use super::{Move, Span};
use crate::boxes::{Extent, Grid, MOST_BOXES, TILE};
use crate::difference::DIFFERENT;
use crate::regions::{IgnoredPixels, Rectangle};
use crate::summary::is_blank;
use crate::{guard, slice_of, Box, Image};

/// Boxes of the shared part, and of each strip outside it: `MOST_BOXES` together.
const SHARED_BOXES: usize = 40;
const STRIP_BOXES: usize = 5;
/// Of moved content, so many different pixels at least have another one next to them.
const LEAST_PAIRS: usize = 20;
/// Pixels around all changes, searched for moves as well.
const SURROUNDINGS: usize = 32;

/// Moved content.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct FoundMove {
    target: Box,
    dx: i32,
    dy: i32,
}

impl FoundMove {
    /// Return the move in the form of the other modules.
    pub fn read(&self) -> Move {
        let [left, top, width, height] =
            [self.target.x, self.target.y, self.target.width, self.target.height]
                .map(|n| n as usize);
        let target = Span { left, top, right: left + width, bottom: top + height };
        Move { target, dx: self.dx as isize, dy: self.dy as isize }
    }
}

/// Findings between two images.
#[repr(C)]
pub struct AlignmentResult {
    pixels: u64,
    move_count: u32,
    box_count: u32,
    moves: [FoundMove; MOST_MOVES],
    boxes: [Box; MOST_BOXES],
}

/// Align two settled images: write where the images still differ, and the moved content.
///
/// # Safety
/// All pointers are valid, `mask` was written by `vr_mark`, and `aligned` has as many zeros.
#[no_mangle]
pub unsafe extern "C" fn vr_align(
    before: *const Image,
    after: *const Image,
    threshold: f64,
    rectangles: *const Rectangle,
    rectangle_count: usize,
    mask: *const u8,
    aligned: *mut u8,
    found: *mut AlignmentResult,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (before, after, found) = unsafe { (&*before, &*after, &mut *found) };
        // SAFETY: as above.
        let images = unsafe { [before.sized()?, after.sized()?] };
        let [old, new] = images;
        let (width, height) = (old.width.max(new.width), old.height.max(new.height));
        // SAFETY: as above.
        let mask = unsafe { from_raw_parts(mask, width * height) };
        let aligned = unsafe { from_raw_parts_mut(aligned, width * height) };
        let rectangles = unsafe { slice_of(rectangles, rectangle_count) };
        let pair = MaskedPair { before: old, after: new, mask, width, threshold };
        let moves = align(&pair, rectangles, aligned);
        found.write(&pair, &moves, rectangles, aligned);
        Ok(())
    })
}

fn align(pair: &MaskedPair, rectangles: &[Rectangle], aligned: &mut [u8]) -> Vec<Move> {
    let moves = find_moves_within(pair, aligned);
    if !moves.is_empty() {
        pair.account(&moves, aligned);
        let plain = count(pair.mask, pair.width, rectangles, |mark| mark == DIFFERENT);
        if count(aligned, pair.width, rectangles, |mark| mark != 0) <= plain {
            return moves;
        }
    }
    for (mark, plain) in aligned.iter_mut().zip(pair.mask) {
        *mark = u8::from(*plain == DIFFERENT);
    }
    Vec::new()
}

/// Return whether hardly any different pixel has another next to it, so that nothing moved.
fn is_scattered(pair: &MaskedPair) -> bool {
    let mut pairs = 0;
    let mut above: &[u8] = &[];
    for row in pair.mask.chunks_exact(pair.width) {
        if is_blank(row) {
            above = &[];
            continue;
        }
        let same = |one: &u8, two: &u8| usize::from(*one == DIFFERENT && *two == DIFFERENT);
        pairs += row.iter().zip(&row[1..]).map(|(one, two)| same(one, two)).sum::<usize>();
        pairs += row.iter().zip(above).map(|(one, two)| same(one, two)).sum::<usize>();
        if pairs >= LEAST_PAIRS {
            return false;
        }
        above = row;
    }
    true
}

/// Find moves in the differing part of both images.
fn find_moves_within(pair: &MaskedPair, labels: &mut [u8]) -> Vec<Move> {
    if is_scattered(pair) {
        return Vec::new();
    }
    let Some(area) = surround_changes(pair) else { return Vec::new() };
    let [before, after] = [pair.before, pair.after].map(|image| {
        let (right, bottom) = (area.right.min(image.width), area.bottom.min(image.height));
        Fingerprints::new(&image.pixels, Span { right, bottom, ..area })
    });
    let start = area.top * pair.width + area.left;
    let (mask, labels) = (&pair.mask[start..], &mut labels[start..]);
    let mut field = Field { before, after, mask, width: pair.width, labels };
    let mut moves = find_moves(&mut field);
    for Span { left, top, right, bottom } in moves.iter_mut().map(|each| &mut each.target) {
        (*left, *right) = (*left + area.left, *right + area.left);
        (*top, *bottom) = (*top + area.top, *bottom + area.top);
    }
    moves
}

fn surround_changes(pair: &MaskedPair) -> Option<Span> {
    let mut area: Option<Span> = None;
    for (y, row) in pair.mask.chunks_exact(pair.width).enumerate() {
        if is_blank(row) {
            continue;
        }
        let left = row.iter().position(|mark| *mark != 0)?;
        let right = row.iter().rposition(|mark| *mark != 0)? + 1;
        let known = area.unwrap_or(Span { left, top: y, right, bottom: y });
        area = Some(Span {
            left: known.left.min(left),
            right: known.right.max(right),
            bottom: y + 1,
            ..known
        });
    }
    area.map(|area| Span {
        left: area.left.saturating_sub(SURROUNDINGS),
        top: area.top.saturating_sub(SURROUNDINGS),
        right: (area.right + SURROUNDINGS).min(pair.width),
        bottom: (area.bottom + SURROUNDINGS).min(pair.mask.len() / pair.width),
    })
}

fn count(
    marks: &[u8],
    width: usize,
    rectangles: &[Rectangle],
    counts: impl Fn(u8) -> bool,
) -> usize {
    let mut ignored = IgnoredPixels::new(rectangles, width);
    let count_row = |(y, row): (usize, &[u8])| match ignored.row(y) {
        None => row.iter().filter(|mark| counts(**mark)).count(),
        Some(flags) => {
            row.iter().zip(flags).filter(|(mark, flag)| counts(**mark) && !**flag).count()
        }
    };
    marks.chunks_exact(width).enumerate().map(count_row).sum()
}

impl AlignmentResult {
    fn write(&mut self, pair: &MaskedPair, moves: &[Move], rectangles: &[Rectangle], marks: &[u8]) {
        self.pixels = count(marks, pair.width, rectangles, |mark| mark != 0) as u64;
        self.move_count = moves.len() as u32;
        for (target, each) in self.moves.iter_mut().zip(moves) {
            let span = each.target;
            let sides = [span.left, span.top, span.width(), span.height()];
            let [x, y, width, height] = sides.map(|n| n as u32);
            let target_box = Box { x, y, width, height };
            *target = FoundMove { target: target_box, dx: each.dx as i32, dy: each.dy as i32 };
        }
        let boxes = find_boxes(pair, rectangles, marks);
        self.box_count = boxes.len() as u32;
        for (target, each) in self.boxes.iter_mut().zip(boxes) {
            *target = Box::from(each);
        }
    }
}

/// Return boxes; none lies partly in both images and partly in one.
fn find_boxes(pair: &MaskedPair, rectangles: &[Rectangle], marks: &[u8]) -> Vec<Extent> {
    let (width, height) =
        (pair.before.width.min(pair.after.width), pair.before.height.min(pair.after.height));
    let full_height = marks.len() / pair.width;
    let parts = [
        ((0, 0), (width, height), SHARED_BOXES),
        ((width, 0), (pair.width - width, full_height), STRIP_BOXES),
        ((0, height), (width, full_height - height), STRIP_BOXES),
    ];
    let mut ignored = IgnoredPixels::new(rectangles, pair.width);
    let mut boxes = Vec::new();
    for ((left, top), (columns, rows), most) in parts {
        if columns == 0 || rows == 0 {
            continue;
        }
        let mut grid = Grid::new(columns, rows);
        for y in 0..rows {
            let row = &marks[(top + y) * pair.width..][left..left + columns];
            let flags = ignored.row(top + y).map(|flags| &flags[left..left + columns]);
            add_row(&mut grid, y, row, flags);
        }
        let at_place = |each: Extent| Extent {
            left: each.left + left,
            top: each.top + top,
            right: each.right + left,
            bottom: each.bottom + top,
        };
        boxes.extend(grid.boxes(most).into_iter().map(at_place));
    }
    boxes.sort_by_key(|each| (each.top, each.left));
    boxes
}

fn add_row(grid: &mut Grid, y: usize, row: &[u8], flags: Option<&[bool]>) {
    if is_blank(row) {
        return;
    }
    for (column, tile) in row.chunks(TILE).enumerate() {
        let left = column * TILE;
        let counted = |at: &usize| tile[*at] != 0 && !flags.is_some_and(|flags| flags[left + *at]);
        if let Some(first) = (0..tile.len()).find(counted) {
            let last = (0..tile.len()).rev().find(counted).unwrap_or(first);
            grid.add(column, y, Extent::of_row(left + first, left + last, y));
        }
    }
}

impl Image {
    /// # Safety
    /// The pointers are valid for their lengths, and nothing writes to the data.
    unsafe fn sized<'data>(&self) -> Result<SizedImage<'data>, crate::image::ReadError> {
        let (width, height) = (self.width as usize, self.height as usize);
        // SAFETY: the caller's promise.
        Ok(SizedImage { pixels: unsafe { self.pixels()? }, width, height })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::Pixels;

    const SIZE: usize = 96;
    const PAPER: [u8; 3] = [255; 3];

    /// A white page with a block of content from row `top` on; the block's pattern is unique.
    fn page(top: usize) -> Vec<u8> {
        let mut data = Vec::new();
        for y in 0..SIZE {
            data.push(0);
            for x in 0..SIZE {
                let inside = (20..70).contains(&x) && (top..top + 30).contains(&y);
                let shade = ((x * 31 + (y + SIZE - top) * 57) % 200) as u8;
                data.extend(if inside { [shade, shade / 2, 90] } else { PAPER });
            }
        }
        data
    }

    fn mask_of(before: &[u8], after: &[u8]) -> Vec<u8> {
        let (old, new) = (Pixels::new(before, SIZE, 3), Pixels::new(after, SIZE, 3));
        let places = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
        places.map(|(x, y)| u8::from(old.get(x, y) != new.get(x, y)) * DIFFERENT).collect()
    }

    fn aligned(before: &[u8], after: &[u8]) -> (Vec<Move>, Vec<u8>) {
        let mask = mask_of(before, after);
        let mut found = vec![0; SIZE * SIZE];
        let sized =
            |data| SizedImage { pixels: Pixels::new(data, SIZE, 3), width: SIZE, height: SIZE };
        let pair = MaskedPair {
            before: sized(before),
            after: sized(after),
            mask: &mask,
            width: SIZE,
            threshold: 0.1,
        };
        let moves = align(&pair, &[], &mut found);
        (moves, found)
    }

    #[test]
    fn content_that_moved_leaves_nothing_that_differs() {
        for by in [1, 8, 25] {
            let (moves, rest) = aligned(&page(10), &page(10 + by));
            assert!(moves.iter().any(|each| (each.dx, each.dy) == (0, by as isize)), "{by}");
            assert!(rest.iter().all(|mark| *mark == 0), "{by}");
        }
    }

    #[test]
    fn a_spot_that_did_not_move_along_is_left() {
        let mut after = page(18);
        let at = 30 * (1 + 3 * SIZE) + 1 + 3 * 40;
        after[at..at + 3].copy_from_slice(&[255, 0, 0]);
        let (moves, rest) = aligned(&page(10), &after);
        assert_eq!(moves[0].dy, 8);
        assert_ne!(rest[30 * SIZE + 40], 0);
        assert!(rest.iter().filter(|mark| **mark != 0).count() <= 2);
    }

    #[test]
    fn other_content_in_the_same_place_is_no_move() {
        let before = page(10);
        let mut after = before.clone();
        for (index, byte) in after.iter_mut().enumerate() {
            // Filter bytes stay as they are.
            if index % (1 + 3 * SIZE) != 0 && *byte != 255 {
                *byte = (*byte).wrapping_mul(7).wrapping_add(40);
            }
        }
        let (moves, rest) = aligned(&before, &after);
        assert!(moves.is_empty());
        assert_eq!(rest, mask_of(&before, &after));
    }
}
