//! Find areas that differ by no more than the threshold, and in a way that is not noise.
//!
//! Rasterizing twice makes other pixels at the edges of shapes: single ones, in short runs, lighter
//! here and darker there. What was changed on purpose differs by the same amount in an area or along
//! a line, or in one direction in all of a text, its darkest or brightest pixels included.

use std::slice::from_raw_parts_mut;

use crate::boxes::{Extent, Grid, MOST_BOXES, TILE};
use crate::difference::{DIFFERENT, SLIGHT};
use crate::pixels::Pixels;
use crate::regions::{Ignored, Rectangle};
use crate::summary::is_blank;
use crate::{guard, slice_of, Box, Image};

/// In the mask: differs by no more than the threshold, as a part of such an area.
pub const FAINT: u8 = 4;

/// Smaller differences of all channels are rounding.
const LEAST: i32 = 3;
/// Lines of one pixel have to differ by more: their edges may be between two pixels.
const LEAST_OF_LINE: i32 = 8;
/// How much a channel's difference may change from one pixel of a run to the next.
const STEP: i32 = 2;
/// A pixel is within an area if it is in runs of this length both across and down.
const AREA_RUN: usize = 8;
const LINE_RUN: usize = 16;
/// Fewer pixels near each other are where the edges of something else cross.
const FEWEST: usize = 16;

/// Marks of runs in the mask, while it is worked on.
const ACROSS: u8 = 0x10;
const DOWN: u8 = 0x20;
const LINE: u8 = 0x40;
const CODE: u8 = 0x0f;

/// Of a tile with text: pixels, their mean difference, and how many tenths have one direction.
const LEAST_PIXELS: i64 = 8;
const LEAST_MEAN: i64 = 8;
const LEAST_TENTHS: i64 = 9;
/// One pixel of so many has to be the darkest or brightest around.
const MOST_PER_EXTREME: i64 = 6;
/// How much darker or brighter a neighbor has to be.
const MARGIN: i32 = 2;

/// What was found.
#[repr(C)]
pub struct FaintAreas {
    pixels: u64,
    box_count: u32,
    boxes: [Box; MOST_BOXES],
}

/// Find faint areas of two settled images, outside rectangles; mark them in the mask.
///
/// # Safety
/// All pointers are valid, the images are those that `vr_mark` compared and `vr_settle` settled,
/// and `mask` is what `vr_mark` wrote.
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
        found.box_count = boxes.len() as u32;
        for (target, each) in found.boxes.iter_mut().zip(boxes) {
            *target = box_of(each);
        }
        Ok(())
    })
}

fn box_of(extent: Extent) -> Box {
    let (width, height) = (extent.right + 1 - extent.left, extent.bottom + 1 - extent.top);
    let [x, y, width, height] = [extent.left, extent.top, width, height].map(|n| n as u32);
    Box { x, y, width, height }
}

/// Two images, and the width of their union.
struct Pair<'data> {
    before: Pixels<'data>,
    after: Pixels<'data>,
    shared: (usize, usize),
    width: usize,
}

type Color = [i32; 3];

impl Pair<'_> {
    fn colors(&self, x: usize, y: usize) -> [Color; 2] {
        [over_white(self.before.get(x, y)), over_white(self.after.get(x, y))]
    }

    fn delta(&self, x: usize, y: usize) -> Color {
        let [old, new] = self.colors(x, y);
        [0, 1, 2].map(|channel| new[channel] - old[channel])
    }

    /// Return whether no neighbor is darker, or none is brighter, in both images.
    fn is_extreme(&self, x: usize, y: usize) -> bool {
        [self.before, self.after].iter().all(|image| {
            let own = luma(image.get(x, y));
            let (mut darker, mut brighter) = (false, false);
            for near_y in y.saturating_sub(1)..(y + 2).min(self.shared.1) {
                for near_x in x.saturating_sub(1)..(x + 2).min(self.shared.0) {
                    let near = luma(image.get(near_x, near_y));
                    darker |= near < own - MARGIN;
                    brighter |= near > own + MARGIN;
                }
            }
            !(darker && brighter)
        })
    }
}

fn over_white(pixel: u32) -> Color {
    let [red, green, blue, alpha] = pixel.to_le_bytes().map(i32::from);
    [red, green, blue].map(|value| (value * alpha + 255 * (255 - alpha)) / 255)
}

fn luma(pixel: u32) -> i32 {
    let [red, green, blue] = over_white(pixel);
    (red * 77 + green * 150 + blue * 29) >> 8
}

fn largest(delta: Color) -> i32 {
    delta.map(i32::abs).into_iter().max().unwrap_or(0)
}

/// Mark faint pixels, and return the boxes around all of them.
fn find_faint(pair: &Pair, rectangles: &[Rectangle], mask: &mut [u8]) -> Vec<Extent> {
    let mut finder = Finder::new(pair);
    let mut ignored = Ignored::new(rectangles, pair.width);
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

/// A run of pixels with nearly the same difference.
#[derive(Clone, Copy, Default)]
struct Run {
    length: usize,
    /// Of which the last ones differ by as much as lines have to.
    strong: usize,
    last: Color,
}

/// How a run ended.
#[derive(Clone, Copy)]
enum Ended {
    Area(usize),
    Line(usize),
}

impl Run {
    /// Add a pixel, and call `ended` for what it ends.
    fn add(&mut self, delta: Option<Color>, mut ended: impl FnMut(Ended)) {
        let follows = delta.is_some_and(|delta| {
            self.length > 0 && (0..3).all(|at| (delta[at] - self.last[at]).abs() <= STEP)
        });
        let is_strong = delta.is_some_and(|delta| largest(delta) >= LEAST_OF_LINE);
        if !follows || !is_strong {
            if self.strong >= LINE_RUN {
                ended(Ended::Line(self.strong));
            }
            self.strong = 0;
        }
        if !follows {
            if self.length >= AREA_RUN {
                ended(Ended::Area(self.length));
            }
            self.length = 0;
        }
        if let Some(delta) = delta {
            self.length += 1;
            self.strong += usize::from(is_strong);
            self.last = delta;
        }
    }
}

/// Goes down both images and marks runs.
struct Finder<'a, 'data> {
    pair: &'a Pair<'data>,
    columns: Vec<Run>,
    tiles: Tiles,
}

impl<'a, 'data> Finder<'a, 'data> {
    fn new(pair: &'a Pair<'data>) -> Self {
        Self { pair, columns: vec![Run::default(); pair.shared.0], tiles: Tiles::new(pair.shared) }
    }

    fn read_row(&mut self, y: usize, ignored: Option<&[bool]>, mask: &mut [u8]) {
        let (width, start) = (self.pair.shared.0, y * self.pair.width);
        if is_blank(&mask[start..start + width]) {
            return self.end_columns(y, mask);
        }
        let mut across = Run::default();
        for x in 0..width {
            let code = mask[start + x] & CODE;
            let is_counted = code != 0 && !ignored.is_some_and(|flags| flags[x]);
            let delta = is_counted.then(|| self.pair.delta(x, y));
            if let Some(delta) = delta {
                self.tiles.add(x, y, code, delta);
            }
            let delta = delta.filter(|delta| code == SLIGHT && largest(*delta) >= LEAST);
            across.add(delta, |ended| mark_run(mask, start + x, 1, ended, ACROSS));
            let pitch = self.pair.width;
            self.columns[x].add(delta, |ended| mark_run(mask, start + x, pitch, ended, DOWN));
        }
        across.add(None, |ended| mark_run(mask, start + width, 1, ended, ACROSS));
    }

    /// End all runs down at row `y`, which has nothing.
    fn end_columns(&mut self, y: usize, mask: &mut [u8]) {
        let pitch = self.pair.width;
        for (x, run) in self.columns.iter_mut().enumerate().filter(|(_, run)| run.length > 0) {
            run.add(None, |ended| mark_run(mask, y * pitch + x, pitch, ended, DOWN));
        }
    }

    fn end_runs(&mut self, mask: &mut [u8]) {
        self.end_columns(self.pair.shared.1, mask);
    }
}

/// Mark the pixels of a run that ended before `end`, whose pixels are `pitch` apart.
fn mark_run(mask: &mut [u8], end: usize, pitch: usize, ended: Ended, direction: u8) {
    let (length, mark) = match ended {
        Ended::Area(length) => (length, direction),
        Ended::Line(length) => (length, LINE),
    };
    for back in 1..=length {
        mask[end - back * pitch] |= mark;
    }
}

/// What is in a square of pixels, of those outside ignored regions.
#[derive(Clone, Copy, Default)]
struct Tile {
    /// Pixels that differ by no more than the threshold, and not by rounding only.
    count: i64,
    strength: i64,
    /// All that differ, and which of them do so by more than the threshold.
    changed: i64,
    different: i64,
    sum: [i64; 3],
    absolute: i64,
}

struct Tiles {
    columns: usize,
    rows: usize,
    tiles: Vec<Tile>,
}

impl Tiles {
    fn new((width, height): (usize, usize)) -> Self {
        let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
        Self { columns, rows, tiles: vec![Tile::default(); columns * rows] }
    }

    fn add(&mut self, x: usize, y: usize, code: u8, delta: Color) {
        let tile = &mut self.tiles[y / TILE * self.columns + x / TILE];
        let strength = largest(delta);
        if code == SLIGHT && strength >= LEAST {
            tile.count += 1;
            tile.strength += i64::from(strength);
        }
        tile.changed += 1;
        tile.different += i64::from(code == DIFFERENT);
        for (sum, value) in tile.sum.iter_mut().zip(delta) {
            *sum += i64::from(value);
            tile.absolute += i64::from(value.abs());
        }
    }

    /// Flag the tiles whose pixels all become darker or all brighter, not only at edges.
    fn select(&self, pair: &Pair, rectangles: &[Rectangle], mask: &[u8]) -> Vec<bool> {
        let mut flags = vec![false; self.tiles.len()];
        for (index, flag) in flags.iter_mut().enumerate() {
            let (column, row) = (index % self.columns, index / self.columns);
            *flag = self.tiles[index].is_consistent()
                && !self.is_near_different(column, row)
                && self.has_extremes(pair, rectangles, mask, (column, row));
        }
        flags
    }

    fn is_near_different(&self, column: usize, row: usize) -> bool {
        (row.saturating_sub(1)..(row + 2).min(self.rows)).any(|near_row| {
            let near = column.saturating_sub(1)..(column + 2).min(self.columns);
            self.tiles[near_row * self.columns..][near].iter().any(|tile| tile.different > 0)
        })
    }

    fn has_extremes(
        &self,
        pair: &Pair,
        rectangles: &[Rectangle],
        mask: &[u8],
        (column, row): (usize, usize),
    ) -> bool {
        let mut count = 0;
        let mut ignored = Ignored::new(rectangles, pair.width);
        for y in row * TILE..((row + 1) * TILE).min(pair.shared.1) {
            let flags = ignored.row(y);
            for x in column * TILE..((column + 1) * TILE).min(pair.shared.0) {
                let is_counted =
                    mask[y * pair.width + x] & CODE != 0 && !flags.is_some_and(|flags| flags[x]);
                count += i64::from(is_counted && pair.is_extreme(x, y));
            }
        }
        count * MOST_PER_EXTREME >= self.tiles[row * self.columns + column].changed
    }
}

impl Tile {
    fn is_consistent(&self) -> bool {
        let sum: i64 = self.sum.iter().map(|sum| sum.abs()).sum();
        self.count >= LEAST_PIXELS
            && self.strength >= LEAST_MEAN * self.count
            && 10 * sum >= LEAST_TENTHS * self.absolute
    }
}

/// Turn the marks of runs, and tiles, into faint pixels; count them and return their tiles.
fn settle_marks(
    pair: &Pair,
    rectangles: &[Rectangle],
    tiles: &[bool],
    mask: &mut [u8],
) -> (u64, Grid) {
    let (width, height) = (pair.width, mask.len() / pair.width);
    let (mut count, mut grid) = (0, Grid::new(width, height));
    let mut ignored = Ignored::new(rectangles, width);
    let columns = pair.shared.0.div_ceil(TILE);
    for y in 0..pair.shared.1 {
        let row = &mut mask[y * width..][..pair.shared.0];
        if is_blank(row) {
            continue;
        }
        let flags = ignored.row(y);
        for (x, mark) in row.iter_mut().enumerate().filter(|(_, mark)| **mark & CODE == SLIGHT) {
            let in_run = *mark & (ACROSS | DOWN) == ACROSS | DOWN || *mark & LINE != 0;
            let is_faint = in_run
                || (tiles[y / TILE * columns + x / TILE]
                    && !flags.is_some_and(|flags| flags[x])
                    && largest(pair.delta(x, y)) >= LEAST);
            *mark = if is_faint { FAINT } else { SLIGHT };
            if is_faint {
                count += 1;
                grid.add(x / TILE, y, Extent::of_row(x, x, y));
            }
        }
    }
    (count, grid)
}
