//! Find runs of pixels with nearly the same difference: areas and lines of another color.

use crate::boxes::TILE;
use crate::difference::SLIGHT;
use crate::faint_pair::{is_candidate, largest, Color, Pair, CODE};
use crate::faint_tiles::Tiles;
use crate::summary::is_blank;

/// Lines of one pixel have to differ by more: their edges may be between two pixels.
const LEAST_OF_LINE: i32 = 8;
/// How much a channel's difference may change from one pixel of a run to the next.
const STEP: i32 = 2;
/// A pixel is within an area if both its runs, across and down, have this length.
const AREA_RUN: usize = 8;
const LINE_RUN: usize = 16;

/// Temporary marks of runs in the mask.
const ACROSS: u8 = 0x10;
const DOWN: u8 = 0x20;
const LINE: u8 = 0x40;

/// A run of pixels with nearly the same difference.
#[derive(Clone, Copy, Default)]
struct Run {
    length: usize,
    /// Length of the last part, with a difference large enough for lines.
    strong: usize,
    last: Color,
}

/// How a run ended.
#[derive(Clone, Copy)]
enum RunEnd {
    Area(usize),
    Line(usize),
}

impl Run {
    /// Add a pixel, and call `ended` for the run that ends there.
    fn add(&mut self, delta: Option<Color>, mut ended: impl FnMut(RunEnd)) {
        let follows = delta.is_some_and(|delta| {
            self.length > 0 && (0..3).all(|at| (delta[at] - self.last[at]).abs() <= STEP)
        });
        let is_strong = delta.is_some_and(|delta| largest(delta) >= LEAST_OF_LINE);
        if !follows || !is_strong {
            if self.strong >= LINE_RUN {
                ended(RunEnd::Line(self.strong));
            }
            self.strong = 0;
        }
        if !follows {
            if self.length >= AREA_RUN {
                ended(RunEnd::Area(self.length));
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
pub struct Finder<'a, 'data> {
    pair: &'a Pair<'data>,
    columns: Vec<Run>,
    /// The pixels read so far, by squares.
    pub tiles: Tiles,
    /// Squares with slight pixels, and squares next to them: no others can become faint.
    near: Vec<bool>,
}

impl<'a, 'data> Finder<'a, 'data> {
    /// A finder without any row; None where no pixel is slight.
    pub fn new(pair: &'a Pair<'data>, mask: &[u8]) -> Option<Self> {
        let near = find_near(pair, mask);
        near.contains(&true).then(|| Self {
            pair,
            columns: vec![Run::default(); pair.shared.0],
            tiles: Tiles::new(pair.shared),
            near,
        })
    }

    /// Read a row; rows have to be read in order.
    pub fn read_row(&mut self, y: usize, ignored: Option<&[bool]>, mask: &mut [u8]) {
        let (width, start) = (self.pair.shared.0, y * self.pair.width);
        if is_blank(&mask[start..start + width]) {
            return self.end_columns(y, mask);
        }
        let mut across = Run::default();
        let near = &self.near[y / TILE * width.div_ceil(TILE)..];
        for x in 0..width {
            if !near[x / TILE] && across.length == 0 && self.columns[x].length == 0 {
                continue;
            }
            let code = mask[start + x] & CODE;
            let is_counted = code != 0 && !ignored.is_some_and(|flags| flags[x]);
            let delta = is_counted.then(|| self.pair.delta(x, y));
            if let Some(delta) = delta {
                self.tiles.add(x, y, code, delta);
            }
            let delta = delta.filter(|delta| is_candidate(code, *delta));
            let pair = self.pair;
            across.add(delta, |ended| mark_run(pair, mask, (x, y), ended, ACROSS));
            self.columns[x].add(delta, |ended| mark_run(pair, mask, (x, y), ended, DOWN));
        }
        across.add(None, |ended| mark_run(self.pair, mask, (width, y), ended, ACROSS));
    }

    /// End all runs down at row `y`, which has no pixels.
    fn end_columns(&mut self, y: usize, mask: &mut [u8]) {
        let pair = self.pair;
        for (x, run) in self.columns.iter_mut().enumerate().filter(|(_, run)| run.length > 0) {
            run.add(None, |ended| mark_run(pair, mask, (x, y), ended, DOWN));
        }
    }

    /// Mark the runs that reach the bottom.
    pub fn end_runs(&mut self, mask: &mut [u8]) {
        self.end_columns(self.pair.shared.1, mask);
    }
}

/// Flag the squares with slight pixels, and those around.
fn find_near(pair: &Pair, mask: &[u8]) -> Vec<bool> {
    let (width, height) = pair.shared;
    let columns = width.div_ceil(TILE);
    let mut slight = vec![false; columns * height.div_ceil(TILE)];
    for y in 0..height {
        let row = &mask[y * pair.width..][..width];
        for (flag, part) in slight[y / TILE * columns..].iter_mut().zip(row.chunks(TILE)) {
            *flag |= part.iter().fold(false, |found, mark| found | (mark & CODE == SLIGHT));
        }
    }
    let rows = slight.len() / columns;
    let around = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
    let is_near = |index: usize| {
        let (column, row) = (index % columns, index / columns);
        around(row, rows).any(|y| around(column, columns).any(|x| slight[y * columns + x]))
    };
    (0..slight.len()).map(is_near).collect()
}

/// Return whether a pixel is within an area or on a line.
pub fn is_in_area(mark: u8) -> bool {
    mark & (ACROSS | DOWN) == ACROSS | DOWN || mark & LINE != 0
}

/// Mark the pixels of a run before `end`.
///
/// Most pixels of a line have to be new: the edge of a shadow may be rendered otherwise in all its
/// length.
fn mark_run(pair: &Pair, mask: &mut [u8], end: (usize, usize), ended: RunEnd, direction: u8) {
    let (length, mark) = match ended {
        RunEnd::Area(length) => (length, direction),
        RunEnd::Line(length) => (length, LINE),
    };
    let at = |back: usize| match direction {
        ACROSS => (end.0 - back, end.1),
        _ => (end.0, end.1 - back),
    };
    if mark == LINE {
        let new = (1..=length).map(at).filter(|(x, y)| pair.is_new(*x, *y)).count();
        if 2 * new < length {
            return;
        }
    }
    for (x, y) in (1..=length).map(at) {
        mask[y * pair.width + x] |= mark;
    }
}
