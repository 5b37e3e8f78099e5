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

/// Connected fine strokes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Element {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    /// The most common lightness.
    paper: u32,
    /// The largest distance from the background.
    contrast: u32,
    /// The sum of all distances from the background.
    ink: u64,
    /// The same sum, with columns and rows counted from the box as weights, and their squares.
    x_ink: u64,
    y_ink: u64,
    xx_ink: u64,
    yy_ink: u64,
    /// How much redder than blue the whole stroke is, compared with most pixels.
    hue: i64,
}

/// An edge between neighboring pixels: without width if vertical, else without height.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

/// A pixel differs from the left neighbor, or from the pixel above.
const ACROSS: u8 = 1;
const DOWN: u8 = 2;

/// Return the elements in some rows, top to bottom, and the edges: vertical ones first.
///
/// Return None if there are too many elements.
pub fn trace(pixels: &Pixels, rows: Range<usize>) -> Option<(Vec<Element>, Vec<Edge>)> {
    let (width, top) = (pixels.width(), rows.start);
    let mut flags = flag_steps(pixels, rows);
    let mut edges = take_long_columns(&mut flags, width, top);
    for (y, row) in flags.chunks_exact_mut(width).enumerate() {
        take_long(row, |from, length| edges.push(edge(from, top + y, length, 0)));
    }
    let mut runs = Runs::default();
    for (y, row) in flags.chunks_exact_mut(width).enumerate() {
        row.iter_mut().for_each(|flag| *flag = u8::from(*flag > 0));
        if !runs.add_row(y, row) {
            return None;
        }
    }
    let boxes = runs.boxes()?;
    Some((boxes.into_iter().map(|each| measure(pixels, each, top)).collect(), edges))
}

/// Measure a box, whose rows are counted from `above` on.
fn measure(pixels: &Pixels, area: Extent, above: usize) -> Element {
    let (left, columns, rows) = (area.left, area.right + 1 - area.left, area.bottom + 1 - area.top);
    let mut line = vec![0; columns];
    let (mut lumas, mut hues) = (Vec::new(), Vec::new());
    for row in 0..rows {
        pixels.load(left, above + area.top + row, &mut line);
        lumas.extend(line.iter().map(|color| luma_of(*color)));
        hues.extend(line.iter().map(|color| hue_of(*color)));
    }
    let (paper, middle) = (most_common(&lumas), most_common(&hues));
    let [x, y, width, height] = [left, above + area.top, columns, rows].map(|n| n as u32);
    let mut found = Element { x, y, width, height, paper: u32::from(paper), ..Element::default() };
    for (row, values) in (0_u64..).zip(lumas.chunks_exact(columns)) {
        let mut ink = 0;
        for (column, value) in (0_u64..).zip(values) {
            let distance = u64::from(value.abs_diff(paper));
            found.contrast = found.contrast.max(distance as u32);
            ink += distance;
            found.x_ink += distance * column;
            found.xx_ink += distance * column * column;
        }
        found.ink += ink;
        found.y_ink += ink * row;
        found.yy_ink += ink * row * row;
    }
    found.hue = hues.iter().map(|value| i64::from(*value) - i64::from(middle)).sum();
    found
}

fn luma_of(color: u32) -> u8 {
    let [red, green, blue, _] = color.to_le_bytes().map(u32::from);
    ((77 * red + 150 * green + 29 * blue) >> 8) as u8
}

fn hue_of(color: u32) -> u8 {
    let [red, _, blue, _] = color.to_le_bytes().map(i32::from);
    (i32::from(MIDDLE) + ((red - blue) >> 1)) as u8
}

fn edge(x: usize, y: usize, width: usize, height: usize) -> Edge {
    let [x, y, width, height] = [x, y, width, height].map(|n| n as u32);
    Edge { x, y, width, height }
}

/// Flag pixels that differ from the left neighbor, and from the pixel above.
fn flag_steps(pixels: &Pixels, rows: Range<usize>) -> Vec<u8> {
    let width = pixels.width();
    let mut flags = vec![0; width * rows.len()];
    let mut colors = vec![0; width];
    let (mut luma, mut above) = (vec![0_u8; width], vec![0_u8; width]);
    for (index, row) in flags.chunks_exact_mut(width).enumerate() {
        pixels.load(0, rows.start + index, &mut colors);
        luma.iter_mut().zip(&colors).for_each(|(value, color)| *value = luma_of(*color));
        for ((flag, left), value) in row[1..].iter_mut().zip(&luma).zip(&luma[1..]) {
            *flag = ACROSS * u8::from(left.abs_diff(*value) > STEP);
        }
        if index > 0 {
            for ((flag, old), value) in row.iter_mut().zip(&above).zip(&luma) {
                *flag |= DOWN * u8::from(old.abs_diff(*value) > STEP);
            }
        }
        std::mem::swap(&mut luma, &mut above);
    }
    flags
}

/// Remove long vertical edges, and return them column by column.
fn take_long_columns(flags: &mut [u8], width: usize, above: usize) -> Vec<Edge> {
    let mut lengths = vec![0_u32; width];
    let mut found = Vec::new();
    let none = vec![0; width];
    for (y, row) in flags.chunks_exact(width).chain([&none[..]]).enumerate() {
        // Few columns have a run that ends here, so all columns are checked at once first.
        let ends = |(flag, length): (&u8, &u32)| flag & ACROSS == 0 && *length >= LONG as u32;
        if row.iter().zip(&lengths).fold(false, |any, pair| any | ends(pair)) {
            for (x, pair) in row.iter().zip(&lengths).enumerate() {
                if ends(pair) {
                    found.push((x, y - *pair.1 as usize, *pair.1 as usize));
                }
            }
        }
        for (length, flag) in lengths.iter_mut().zip(row) {
            *length = (*length + 1) * u32::from(flag & ACROSS);
        }
    }
    for (x, top, length) in &found {
        (*top..top + length).for_each(|y| flags[y * width + x] &= !ACROSS);
    }
    found.sort_unstable();
    found.into_iter().map(|(x, top, length)| edge(x, above + top, 0, length)).collect()
}

/// Remove long horizontal edges from a row, and report start and length of each.
fn take_long(row: &mut [u8], mut report: impl FnMut(usize, usize)) {
    let mut first = 0;
    for x in 0..=row.len() {
        if x < row.len() && row[x] & DOWN > 0 {
            continue;
        }
        if x - first >= LONG {
            row[first..x].iter_mut().for_each(|flag| *flag &= !DOWN);
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
        let mut flags = vec![DOWN; LONG];
        flags.extend([0, DOWN, 0]);
        let mut found = Vec::new();
        take_long(&mut flags, |from, length| found.push((from, length)));
        assert_eq!(found, [(0, LONG)]);
        assert_eq!(flags.iter().filter(|flag| **flag > 0).count(), 1);
    }

    #[test]
    fn a_dot_is_an_element_and_a_card_has_edges() {
        let (width, height) = (80, 60);
        let mut data = vec![255; (1 + 3 * width) * height];
        let mut paint = |x: usize, y: usize| data[y * (1 + 3 * width) + 1 + 3 * x..][..3].fill(0);
        paint(70, 50);
        (10..50).for_each(|y| (10..50).for_each(|x| paint(x, y)));
        let (elements, edges) = trace(&Pixels::new(&data, width, 3), 0..height).unwrap();
        let dot = elements[0];
        assert_eq!((dot.x, dot.y, dot.width, dot.height), (70, 50, 2, 2));
        assert_eq!((dot.paper, dot.contrast, dot.ink, dot.hue), (255, 255, 255, 0));
        assert_eq!(elements.len(), 1);
        assert_eq!(
            edges,
            [edge(10, 10, 0, 40), edge(50, 10, 0, 40), edge(10, 10, 40, 0), edge(10, 50, 40, 0)]
        );
    }
}
