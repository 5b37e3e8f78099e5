//! The shapes of a page without its colors: fine strokes such as text, and long straight edges.

use std::ops::Range;

use crate::boxes::Extent;
use crate::pieces::Runs;
use crate::pixels::Pixels;

/// Neighbors differ in lightness by more than this where a shape ends.
const STEP: u8 = 12;
/// A straight edge of this length belongs to a card, a line or an image, and not to a letter.
const LONG: usize = 32;
const LUMAS: usize = 256;
const MIDDLE: u8 = 128;

/// Fine strokes that are connected.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Element {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    /// The most common lightness.
    paper: u32,
    /// The largest distance from it.
    contrast: u32,
    /// The sum of all distances from it.
    ink: u64,
    /// How much redder than blue all of it is, compared with most of it.
    hue: i64,
}

/// An edge between neighboring pixels: of no width where it is vertical, else of no height.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

/// Lightness and hue of an image, a byte each for every pixel.
struct Planes {
    luma: Vec<u8>,
    hue: Vec<u8>,
    width: usize,
    height: usize,
    /// The row of the image that is the first one here.
    top: usize,
}

/// Return the elements in some rows, top to bottom, and the edges: vertical ones first.
///
/// Return None if there are too many elements.
pub fn trace(pixels: &Pixels, rows: Range<usize>) -> Option<(Vec<Element>, Vec<Edge>)> {
    let planes = Planes::read(pixels, rows);
    let (width, height) = (planes.width, planes.height);
    let (mut across, mut down) = (vec![false; width * height], vec![false; width * height]);
    flag_steps(&planes, &mut across, &mut down);
    let mut edges = take_long_columns(&mut across, width, planes.top);
    for (y, row) in down.chunks_exact_mut(width).enumerate() {
        take_long(row, |from, length| edges.push(edge(from, planes.top + y, length, 0)));
    }
    let mut runs = Runs::default();
    for y in 0..height {
        let row = y * width..(y + 1) * width;
        let flags = across[row.clone()].iter().zip(&down[row]).map(|(one, two)| *one || *two);
        if !runs.add_row(y, flags) {
            return None;
        }
    }
    let boxes = runs.boxes()?;
    Some((boxes.into_iter().map(|each| planes.measure(each)).collect(), edges))
}

impl Planes {
    fn read(pixels: &Pixels, rows: Range<usize>) -> Self {
        let (width, height) = (pixels.width(), rows.len());
        let (mut luma, mut hue) = (vec![0; width * height], vec![0; width * height]);
        let mut row = vec![0; width];
        for y in 0..height {
            pixels.load(0, rows.start + y, &mut row);
            for (x, color) in row.iter().enumerate() {
                let [red, green, blue, _] = color.to_le_bytes().map(i32::from);
                luma[y * width + x] = ((77 * red + 150 * green + 29 * blue) >> 8) as u8;
                hue[y * width + x] = (i32::from(MIDDLE) + ((red - blue) >> 1)) as u8;
            }
        }
        Self { luma, hue, width, height, top: rows.start }
    }

    fn measure(&self, area: Extent) -> Element {
        let rows = (area.top..=area.bottom).map(|y| y * self.width);
        let rows: Vec<_> = rows.map(|start| start + area.left..start + area.right + 1).collect();
        let inside = |plane: &'_ [u8]| -> Vec<u8> {
            rows.iter().flat_map(|row| plane[row.clone()].iter().copied()).collect()
        };
        let (luma, hue) = (inside(&self.luma), inside(&self.hue));
        let (paper, middle) = (most_common(&luma), most_common(&hue));
        let (width, height) = (area.right + 1 - area.left, area.bottom + 1 - area.top);
        let [x, y, width, height] =
            [area.left, self.top + area.top, width, height].map(|n| n as u32);
        let distance = |value: &u8| value.abs_diff(paper);
        Element {
            x,
            y,
            width,
            height,
            paper: u32::from(paper),
            contrast: u32::from(luma.iter().map(distance).max().unwrap_or(0)),
            ink: luma.iter().map(|value| u64::from(distance(value))).sum(),
            hue: hue.iter().map(|value| i64::from(*value) - i64::from(middle)).sum(),
        }
    }
}

fn edge(x: usize, y: usize, width: usize, height: usize) -> Edge {
    let [x, y, width, height] = [x, y, width, height].map(|n| n as u32);
    Edge { x, y, width, height }
}

/// Flag pixels that differ from their left neighbor, and from the one above.
fn flag_steps(planes: &Planes, across: &mut [bool], down: &mut [bool]) {
    let (luma, width) = (&planes.luma, planes.width);
    let rows = luma.chunks_exact(width).zip(across.chunks_exact_mut(width));
    for (values, flags) in rows {
        for (flag, pair) in flags[1..].iter_mut().zip(values.windows(2)) {
            *flag = pair[0].abs_diff(pair[1]) > STEP;
        }
    }
    let pairs = luma[width..].iter().zip(luma.iter());
    for (flag, (value, above)) in down[width..].iter_mut().zip(pairs) {
        *flag = value.abs_diff(*above) > STEP;
    }
}

/// Remove long runs of flags from all columns, and return them as edges, column by column.
fn take_long_columns(flags: &mut [bool], width: usize, above: usize) -> Vec<Edge> {
    let mut lengths = vec![0; width];
    let mut found = Vec::new();
    let height = flags.len() / width;
    for y in 0..=height {
        for x in 0..width {
            if y < height && flags[y * width + x] {
                lengths[x] += 1;
            } else if lengths[x] > 0 {
                let length = std::mem::take(&mut lengths[x]);
                if length >= LONG {
                    found.push((x, y - length, length));
                }
            }
        }
    }
    for (x, top, length) in &found {
        (*top..top + length).for_each(|y| flags[y * width + x] = false);
    }
    found.sort_unstable();
    found.into_iter().map(|(x, top, length)| edge(x, above + top, 0, length)).collect()
}

/// Remove long runs from a row of flags, and report where they begin and how long they are.
fn take_long(row: &mut [bool], mut report: impl FnMut(usize, usize)) {
    let mut first = 0;
    for x in 0..=row.len() {
        if x < row.len() && row[x] {
            continue;
        }
        if x - first >= LONG {
            row[first..x].fill(false);
            report(first, x - first);
        }
        first = x + 1;
    }
}

/// Return the most common value, the smallest of several.
fn most_common(values: &[u8]) -> u8 {
    let mut counts = [0_u32; LUMAS];
    values.iter().for_each(|value| counts[usize::from(*value)] += 1);
    let most = counts.iter().max().copied().unwrap_or(0);
    counts.iter().position(|count| *count == most).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_edges_and_short_ones_stay() {
        let mut flags = vec![true; LONG];
        flags.extend([false, true, false]);
        let mut found = Vec::new();
        take_long(&mut flags, |from, length| found.push((from, length)));
        assert_eq!(found, [(0, LONG)]);
        assert_eq!(flags.iter().filter(|flag| **flag).count(), 1);
    }

    #[test]
    fn a_dot_is_an_element_and_a_card_has_edges() {
        let (width, height) = (80, 60);
        let mut data = vec![255; (1 + 3 * width) * height];
        let mut paint = |x: usize, y: usize| data[y * (1 + 3 * width) + 1 + 3 * x..][..3].fill(0);
        paint(70, 50);
        (10..50).for_each(|y| (10..50).for_each(|x| paint(x, y)));
        let (elements, edges) = trace(&Pixels::new(&data, width, 3), 0..height).unwrap();
        let dot = Element {
            x: 70,
            y: 50,
            width: 2,
            height: 2,
            paper: 255,
            contrast: 255,
            ink: 255,
            hue: 0,
        };
        assert_eq!(elements, [dot]);
        assert_eq!(
            edges,
            [edge(10, 10, 0, 40), edge(50, 10, 0, 40), edge(10, 10, 40, 0), edge(10, 50, 40, 0)]
        );
    }
}
