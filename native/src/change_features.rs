//! Measure how the pixels of a changed area differ between two images.

use crate::area::Area;
use crate::palette::{count_colors, largest_distance, most_common, Near};
use crate::pixels::Pixels;

const EDGE: u32 = 24;
const NO_EDGE: u32 = 2;
const CELL: usize = 16;
const NEAR: u32 = 3;
const MOST_SCATTERED: u64 = 4096;

/// How both images differ in an area.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ChangeFeatures {
    pub ones: u64,
    pub twos: u64,
    pub threes: u64,
    pub unequal: u64,
    pub became_background: u64,
    pub was_background: u64,
    pub isolated: u64,
    pub pairs: u64,
    pub pair_samples: u64,
    pub mapped: u64,
    pub first_before: u64,
    pub first_after: u64,
    pub first_count: u64,
    pub edges_before: u64,
    pub edges_after: u64,
    pub edges_lost: u64,
    pub edges_new: u64,
    pub edges_peak: u64,
    pub outline_strays: u64,
}

/// Measure an area with a margin of one pixel; colors are counted at every `step` pixels.
pub fn measure_change(
    images: [&Pixels; 2],
    (mask, width): (&[u8], usize),
    area: Area,
    offset: (i64, i64),
    backgrounds: (u32, u32),
    step: usize,
) -> ChangeFeatures {
    let mut found = ChangeFeatures::default();
    let marked = MarkedArea { images, mask, width, area, offset };
    let pairs = marked.measure_pixels(backgrounds, step, &mut found);
    measure_pairs(pairs, &mut found);
    marked.measure_edges(&mut found);
    if found.ones <= MOST_SCATTERED {
        found.isolated = marked.count_isolated();
    }
    found
}

struct MarkedArea<'a> {
    images: [&'a Pixels<'a>; 2],
    mask: &'a [u8],
    width: usize,
    area: Area,
    offset: (i64, i64),
}

impl MarkedArea<'_> {
    /// Return the area with a margin, limited to both images, in the later image's coordinates.
    fn shared(&self, margin: i64) -> Area {
        let [before, after] = self.images;
        let wanted = self.area.grow(margin);
        let old = wanted.back(self.offset).clip(before);
        let old = old.back((-self.offset.0, -self.offset.1));
        let new = wanted.clip(after);
        let (left, top) = (old.left.max(new.left), old.top.max(new.top));
        let (right, bottom) = (old.right.min(new.right), old.bottom.min(new.bottom));
        match left < right && top < bottom {
            true => Area { left, top, right, bottom },
            false => Area { left: 0, top: 0, right: 0, bottom: 0 },
        }
    }

    fn marks(&self, y: i64) -> &[u8] {
        &self.mask[y as usize * self.width..][..self.width]
    }

    /// Load a row of the part in both images.
    fn load(&self, shared: Area, y: i64, rows: &mut [Vec<u32>; 2]) {
        let [before, after] = self.images;
        let old = (shared.left - self.offset.0, y - self.offset.1);
        before.load(old.0 as usize, old.1 as usize, &mut rows[0]);
        after.load(shared.left as usize, y as usize, &mut rows[1]);
    }

    /// Count marks and unequal pixels; return sampled pairs of unequal colors.
    fn measure_pixels(
        &self,
        backgrounds: (u32, u32),
        step: usize,
        found: &mut ChangeFeatures,
    ) -> Vec<u64> {
        let (area, shared) = (self.area, self.shared(0));
        let (was, became) = (Near::new(backgrounds.0, NEAR), Near::new(backgrounds.1, NEAR));
        let mut rows = [vec![0; shared.size().0], vec![0; shared.size().0]];
        let mut pairs = Vec::new();
        for y in area.top..area.bottom {
            let marks = &self.marks(y)[area.left as usize..area.right as usize];
            count_marks(marks, found);
            if !(shared.top..shared.bottom).contains(&y) {
                continue;
            }
            self.load(shared, y, &mut rows);
            let marks = &marks[(shared.left - area.left) as usize..];
            let sampled_row = ((y - area.top) as usize).is_multiple_of(step);
            for (x, (mark, (old, new))) in
                marks.iter().zip(rows[0].iter().zip(&rows[1])).enumerate()
            {
                if *mark == 0 || old == new {
                    continue;
                }
                found.unequal += 1;
                found.was_background += u64::from(was.holds(*old));
                found.became_background += u64::from(became.holds(*new));
                if sampled_row && (x + (shared.left - area.left) as usize).is_multiple_of(step) {
                    pairs.push(u64::from(*old) << 32 | u64::from(*new));
                }
            }
        }
        pairs
    }

    fn measure_edges(&self, found: &mut ChangeFeatures) {
        let shared = self.shared(0);
        let (width, height) = shared.size();
        if width == 0 || height == 0 {
            return;
        }
        // Cells begin at the margin.
        let start = (shared.left - self.area.left) as usize + 1;
        let mut cells = vec![0; (start + width).div_ceil(CELL)];
        let new_rows = || [vec![0; width], vec![0; width]];
        let (mut rows, mut below) = (new_rows(), new_rows());
        self.load(shared, shared.top, &mut rows);
        for y in shared.top..shared.bottom {
            let [old, new] = &rows;
            let (last, rest) = (width - 1, [&old[1..], &new[1..]]);
            compare_edges([&old[..last], &new[..last]], rest, start, &mut cells, found);
            let has_below = y + 1 < shared.bottom;
            if has_below {
                self.load(shared, y + 1, &mut below);
                compare_edges([old, new], [&below[0], &below[1]], start, &mut cells, found);
            }
            if (y - self.area.top + 1) as usize % CELL == CELL - 1 || !has_below {
                let peak = cells.iter().copied().max().unwrap_or(0);
                found.edges_peak = found.edges_peak.max(peak);
                cells.fill(0);
            }
            std::mem::swap(&mut rows, &mut below);
        }
        found.outline_strays = self.count_outline_strays();
    }

    /// Count lost and new edges between the area and its surroundings.
    fn count_outline_strays(&self) -> u64 {
        let (area, room) = (self.area, self.shared(1));
        let sides = (area.left..area.right)
            .flat_map(|x| [((x, area.top), (0, -1)), ((x, area.bottom - 1), (0, 1))])
            .chain(
                (area.top..area.bottom)
                    .flat_map(|y| [((area.left, y), (-1, 0)), ((area.right - 1, y), (1, 0))]),
            );
        let mut count = 0;
        for ((x, y), (dx, dy)) in sides {
            if room.holds(x, y) && room.holds(x + dx, y + dy) {
                let [before, after] = [self.pair_at(x, y), self.pair_at(x + dx, y + dy)];
                let (old, new) =
                    (largest_distance(before.0, after.0), largest_distance(before.1, after.1));
                count += u64::from(is_stray(old, new));
            }
        }
        count
    }

    /// Return the pixels of both images.
    fn pair_at(&self, x: i64, y: i64) -> (u32, u32) {
        let (old_x, old_y) = (x - self.offset.0, y - self.offset.1);
        let [before, after] = self.images;
        (before.get(old_x as usize, old_y as usize), after.get(x as usize, y as usize))
    }

    /// Count different pixels on edges with at most one different neighbor.
    fn count_isolated(&self) -> u64 {
        let room = self.shared(1);
        let mut count = 0;
        for y in self.area.top..self.area.bottom {
            for x in self.area.left..self.area.right {
                let within = (room.left + 1..room.right - 1).contains(&x)
                    && (room.top + 1..room.bottom - 1).contains(&y);
                if within && self.marks(y)[x as usize] == 1 {
                    count += u64::from(self.few_near(x, y) && self.is_edge(x, y));
                }
            }
        }
        count
    }

    fn few_near(&self, x: i64, y: i64) -> bool {
        let near = |y: i64| &self.marks(y)[x as usize - 1..x as usize + 2];
        (y - 1..y + 2).flat_map(near).filter(|mark| **mark == 1).count() <= 2
    }

    fn is_edge(&self, x: i64, y: i64) -> bool {
        let offsets = [self.offset, (0, 0)];
        self.images.iter().zip(offsets).all(|(image, offset)| {
            let (x, y) = ((x - offset.0) as usize, (y - offset.1) as usize);
            let (mut low, mut high) = ([u8::MAX; 4], [u8::MIN; 4]);
            for (near_y, near_x) in
                (y - 1..y + 2).flat_map(|row| (x - 1..x + 2).map(move |at| (row, at)))
            {
                if (near_x, near_y) != (x, y) {
                    for (at, part) in
                        image.get(near_x, near_y).to_le_bytes().into_iter().enumerate()
                    {
                        (low[at], high[at]) = (low[at].min(part), high[at].max(part));
                    }
                }
            }
            (0..4).any(|at| u32::from(high[at] - low[at]) >= EDGE)
        })
    }
}

fn count_marks(marks: &[u8], found: &mut ChangeFeatures) {
    // Counting in parts of 255 keeps the sums within a byte, which is fast.
    for part in marks.chunks(255) {
        let of =
            |value: u8| u64::from(part.iter().map(|mark| u8::from(*mark == value)).sum::<u8>());
        (found.ones, found.twos, found.threes) =
            (found.ones + of(1), found.twos + of(2), found.threes + of(3));
    }
}

fn measure_pairs(pairs: Vec<u64>, found: &mut ChangeFeatures) {
    found.pair_samples = pairs.len() as u64;
    let counted = count_colors(pairs);
    found.pairs = counted.len() as u64;
    let (first, count) = most_common(&counted);
    (found.first_before, found.first_after) = (first >> 32, first & u64::from(u32::MAX));
    found.first_count = count as u64;
    for same in counted.chunk_by(|one, two| one.0 >> 32 == two.0 >> 32) {
        found.mapped += same.iter().map(|(_, count)| *count as u64).max().unwrap_or(0);
    }
}

/// Compare the edges between pixels and their neighbors, in both images.
fn compare_edges(
    here: [&[u32]; 2],
    there: [&[u32]; 2],
    start: usize,
    cells: &mut [u64],
    found: &mut ChangeFeatures,
) {
    let pixels = here[0].iter().zip(there[0]).zip(here[1].iter().zip(there[1]));
    for (x, ((old, old_next), (new, new_next))) in pixels.enumerate() {
        if old == old_next && new == new_next {
            continue;
        }
        let (before, after) =
            (largest_distance(*old, *old_next), largest_distance(*new, *new_next));
        found.edges_before += u64::from(before >= EDGE);
        found.edges_after += u64::from(after >= EDGE);
        if is_stray(before, after) {
            found.edges_lost += u64::from(before >= EDGE);
            found.edges_new += u64::from(after >= EDGE);
            cells[(start + x) / CELL] += 1;
        }
    }
}

/// Return whether there is an edge in one image and none in the other.
#[inline(always)]
fn is_stray(before: u32, after: u32) -> bool {
    before.max(after) >= EDGE && before.min(after) <= NO_EDGE
}
