//! Measure a changed area of two images: what each shows in it.
//!
//! Numbers, limits and the order of equal candidates are the same as in the other engine, where
//! they are explained (imagediff/features.py and imagediff/reference/features.py).

use crate::area::Area;
use crate::change_features::{measure_change, ChangeFeatures};
use crate::palette::{count_colors, distance, largest_distance, most_common, Near};
use crate::pixels::Pixels;

const MOST_SAMPLES: usize = 1 << 15;
const MOST_SEARCHED: usize = 1 << 20;
const FRAME: i64 = 3;
const INK: u32 = 24;
const BLEND: i64 = 40;

/// The content of one image in an area.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SideFeatures {
    pub inside: u64,
    pub background: u64,
    pub background_around: u64,
    pub around: u64,
    pub main: u64,
    pub main_count: u64,
    pub colors: u64,
    pub samples: u64,
    pub ink: u64,
    pub searched: u64,
    pub inked: u64,
    pub blended: u64,
    pub strokes: u64,
    pub longest: u64,
    pub ink_rows: u64,
    pub bands: u64,
    pub steepest: u64,
    pub brightness: u64,
}

/// All measurements of an area.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct AreaFeatures {
    pub before: SideFeatures,
    pub after: SideFeatures,
    pub change: ChangeFeatures,
}

/// Measure an area of the later image against the earlier image, `offset` behind.
pub fn measure_area(
    before: &Pixels,
    after: &Pixels,
    mask: (&[u8], usize),
    area: Area,
    offset: (i64, i64),
) -> AreaFeatures {
    let (one, two) = (measure_side(before, area.back(offset)), measure_side(after, area));
    let backgrounds = (one.background as u32, two.background as u32);
    let step = grid_step(area);
    let change = measure_change([before, after], mask, area, offset, backgrounds, step);
    AreaFeatures { before: one, after: two, change }
}

fn grid_step(area: Area) -> usize {
    let (width, height) = area.size();
    (1..).find(|step| width.div_ceil(*step) * height.div_ceil(*step) <= MOST_SAMPLES).unwrap_or(1)
}

fn measure_side(image: &Pixels, area: Area) -> SideFeatures {
    let inner = area.clip(image);
    let around = frame_around(image, area);
    let samples = sample(image, area, inner, grid_step(area));
    let (sample_count, around_count) = (samples.len(), around.len());
    let counted = count_colors(samples);
    let (main, main_count) = most_common(&counted);
    let (background, background_around) = most_common(&count_colors(around));
    let ink = find_ink(&counted, main);
    let mut found = SideFeatures {
        inside: inner.pixels() as u64,
        background: u64::from(if around_count > 0 { background } else { main }),
        background_around: background_around as u64,
        around: around_count as u64,
        main: u64::from(main),
        main_count: main_count as u64,
        colors: counted.len() as u64,
        samples: sample_count as u64,
        ink: u64::from(ink),
        ..SideFeatures::default()
    };
    measure_strokes(image, area, inner, (main, ink), &mut found);
    found
}

/// Return the pixels of a frame around an area.
fn frame_around(image: &Pixels, area: Area) -> Vec<u32> {
    let outer = area.grow(FRAME).clip(image);
    let mut found = Vec::new();
    for y in outer.top..outer.bottom {
        if (area.top..area.bottom).contains(&y) {
            let left = outer.left..area.left.clamp(outer.left, outer.right);
            let right = area.right.clamp(outer.left, outer.right)..outer.right;
            found.extend(left.chain(right).map(|x| image.get(x as usize, y as usize)));
        } else {
            found.extend((outer.left..outer.right).map(|x| image.get(x as usize, y as usize)));
        }
    }
    found
}

fn sample(image: &Pixels, area: Area, inner: Area, step: usize) -> Vec<u32> {
    let on_grid = |start: i64, first: i64, end: i64| {
        (start..end).step_by(step).filter(move |at| *at >= first).map(|at| at as usize)
    };
    let mut found = Vec::new();
    for y in on_grid(area.top, inner.top, inner.bottom) {
        found.extend(on_grid(area.left, inner.left, inner.right).map(|x| image.get(x, y)));
    }
    found
}

fn find_ink(counted: &[(u32, usize)], main: u32) -> u32 {
    let visible = || counted.iter().filter(|(color, _)| largest_distance(*color, main) > INK);
    let enough = 2.max(visible().map(|(_, count)| *count).sum::<usize>() / 50);
    let far = visible()
        .filter(|(_, count)| *count >= enough)
        // The first of the largest ones is the smallest color.
        .rev()
        .max_by_key(|(color, count)| (distance(*color, main), *count));
    match far {
        Some((color, _)) => *color,
        None => visible().rev().max_by_key(|(_, count)| *count).map_or(main, |(color, _)| *color),
    }
}

fn measure_strokes(
    image: &Pixels,
    area: Area,
    inner: Area,
    (main, ink): (u32, u32),
    found: &mut SideFeatures,
) {
    let step = area.pixels().div_ceil(MOST_SEARCHED).max(1);
    let is_near_main = Near::new(main, INK);
    let line = Line::new(main, ink);
    let mut row = vec![0; inner.size().0];
    let mut was_inked = false;
    for y in (area.top..area.bottom).step_by(step) {
        let mut inked = 0;
        if (inner.top..inner.bottom).contains(&y) {
            image.load(inner.left as usize, y as usize, &mut row);
            found.searched += row.len() as u64;
            inked = measure_row(&row, main, &is_near_main, &line, found);
        }
        found.inked += inked;
        found.ink_rows += u64::from(inked > 0);
        found.bands += u64::from(inked > 0 && !was_inked);
        was_inked = inked > 0;
    }
}

/// Count the strokes of a row, and return the row's pixels of ink.
fn measure_row(
    row: &[u32],
    main: u32,
    is_near_main: &Near,
    line: &Line,
    found: &mut SideFeatures,
) -> u64 {
    let (mut inked, mut length) = (0, 0);
    let mut last = (main, false, false);
    let mut before = row.first().map_or(0, |color| luma(*color));
    for color in row {
        let own = luma(*color);
        found.steepest = found.steepest.max(own.abs_diff(before));
        found.brightness += own;
        before = own;
        if *color != last.0 {
            let is_ink = !is_near_main.holds(*color);
            last = (*color, is_ink, is_ink && line.passes(*color));
        }
        inked += u64::from(last.1);
        found.blended += u64::from(last.2);
        found.strokes += u64::from(last.1 && length == 0);
        length = if last.1 { length + 1 } else { 0 };
        found.longest = found.longest.max(length);
    }
    inked
}

/// The mixtures of two colors.
struct Line {
    start: [i64; 4],
    way: [i64; 4],
    length: i64,
}

impl Line {
    fn new(start: u32, end: u32) -> Self {
        let [start, end] = [start, end].map(channels);
        let way = std::array::from_fn(|at| end[at] - start[at]);
        Self { start, way, length: way.iter().map(|part| part * part).sum() }
    }

    /// Return whether a color is near a mixture.
    fn passes(&self, color: u32) -> bool {
        let color = channels(color);
        let away: [i64; 4] = std::array::from_fn(|at| color[at] - self.start[at]);
        let along: i64 = away.iter().zip(self.way).map(|(one, two)| one * two).sum();
        let aside =
            away.iter().zip(self.way).map(|(one, two)| (one * self.length - two * along).abs());
        along >= 0 && aside.max().unwrap_or(0) <= BLEND * self.length
    }
}

fn luma(color: u32) -> u64 {
    let [red, green, blue, _] = color.to_le_bytes().map(u64::from);
    (77 * red + 150 * green + 29 * blue) >> 8
}

fn channels(color: u32) -> [i64; 4] {
    color.to_le_bytes().map(i64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 40;
    const WHITE: [u8; 3] = [255; 3];

    /// A white page; columns of every fourth pixel in an area have the color of the ink.
    fn page(ink: [u8; 3]) -> Vec<u8> {
        let mut data = Vec::new();
        for y in 0..SIZE {
            data.push(0);
            for x in 0..SIZE {
                let inside = (10..30).contains(&x) && (12..24).contains(&y) && x % 4 == 0;
                data.extend(if inside { ink } else { WHITE });
            }
        }
        data
    }

    fn measured(before: &[u8], after: &[u8]) -> AreaFeatures {
        let (old, new) = (Pixels::new(before, SIZE, 3), Pixels::new(after, SIZE, 3));
        let places = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
        let mask: Vec<u8> = places.map(|(x, y)| u8::from(old.get(x, y) != new.get(x, y))).collect();
        let area = Area { left: 10, top: 12, right: 30, bottom: 24 };
        measure_area(&old, &new, (&mask, SIZE), area, (0, 0))
    }

    #[test]
    fn paper_and_ink_are_distinguished() {
        let found = measured(&page([0; 3]), &page([200, 0, 0]));
        for (side, ink) in [(found.before, 0xff00_0000_u64), (found.after, 0xff00_00c8)] {
            assert_eq!(side.inside, 20 * 12);
            assert_eq!((side.background, side.main), (0xffff_ffff, 0xffff_ffff));
            assert_eq!(side.ink, ink);
            assert_eq!(side.inked, 5 * 12);
            assert_eq!(side.ink_rows, 12);
            assert_eq!(side.steepest, 255 - luma(ink as u32));
        }
    }

    #[test]
    fn a_side_without_content_has_no_ink() {
        let found = measured(&page([0; 3]), &page(WHITE));
        assert_eq!(found.before.inked, 5 * 12);
        assert_eq!((found.after.inked, found.after.colors), (0, 1));
        assert_eq!(found.change.ones, 5 * 12);
    }
}
