//! The shapes of a page without its colors: fine strokes such as text, and long straight edges.

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
}

/// Return the elements, top to bottom, and the edges: vertical ones first, then from the top left.
///
/// Return None if there are too many elements.
pub fn trace(pixels: &Pixels) -> Option<(Vec<Element>, Vec<Edge>)> {
    let planes = Planes::read(pixels);
    let (width, height) = (planes.width, planes.height);
    let mut across = flag_steps(&planes.luma, |at| (at % width > 0).then(|| at - 1));
    let mut down = flag_steps(&planes.luma, |at| at.checked_sub(width));
    let mut edges = Vec::new();
    for x in 0..width {
        take_long(&mut across, (x, width, height), |from, length| {
            edges.push(edge(x, from, 0, length))
        });
    }
    for y in 0..height {
        take_long(&mut down, (y * width, 1, width), |from, length| {
            edges.push(edge(from, y, length, 0))
        });
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
    fn read(pixels: &Pixels) -> Self {
        let (width, height) = (pixels.width(), pixels.height());
        let (mut luma, mut hue) = (vec![0; width * height], vec![0; width * height]);
        let mut row = vec![0; width];
        for y in 0..height {
            pixels.load(0, y, &mut row);
            for (x, color) in row.iter().enumerate() {
                let [red, green, blue, _] = color.to_le_bytes().map(i32::from);
                luma[y * width + x] = ((77 * red + 150 * green + 29 * blue) >> 8) as u8;
                hue[y * width + x] = (i32::from(MIDDLE) + ((red - blue) >> 1)) as u8;
            }
        }
        Self { luma, hue, width, height }
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
        let [x, y, width, height] = [area.left, area.top, width, height].map(|n| n as u32);
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

/// Flag pixels that differ from the neighbor that `before` gives.
fn flag_steps(luma: &[u8], before: impl Fn(usize) -> Option<usize>) -> Vec<bool> {
    let differs = |at: usize| before(at).is_some_and(|near| luma[at].abs_diff(luma[near]) > STEP);
    (0..luma.len()).map(differs).collect()
}

/// Remove long runs of flags from a line, and report where they begin and how long they are.
///
/// The line has `count` flags from `start` on, `step` apart.
fn take_long(
    flags: &mut [bool],
    (start, step, count): (usize, usize, usize),
    mut report: impl FnMut(usize, usize),
) {
    let mut first = 0;
    for index in 0..=count {
        if index < count && flags[start + index * step] {
            continue;
        }
        if index - first >= LONG {
            (first..index).for_each(|each| flags[start + each * step] = false);
            report(first, index - first);
        }
        first = index + 1;
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
        let line = (0, 1, flags.len());
        take_long(&mut flags, line, |from, length| found.push((from, length)));
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
        let (elements, edges) = trace(&Pixels::new(&data, width, 3)).unwrap();
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
