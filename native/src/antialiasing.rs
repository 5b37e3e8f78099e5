//! Distinguish anti-aliased pixels from changed ones, with the decisions of pixelmatch 7.2.
//!
//! Source: V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector" (2009), with the rules
//! pixelmatch adds: a pixel is anti-aliased when at most two neighbors are equal, some are darker
//! and some brighter, and the darkest or brightest neighbor has three equal neighbors in both
//! images. The edge of the image counts as one equal neighbor.

use crate::color::{brightness, subtract};
use crate::difference::{pixel, ANTI_ALIASED, DIFFERENT};

/// A pixel with more equal neighbors is in an area of one color or on its edge.
pub const MAX_EQUAL: u32 = 2;
const OPAQUE: u32 = 0xff00_0000;
/// Pixels of a mask searched together.
const PART: usize = 16;
/// Column by column, like pixelmatch: of equally dark neighbors the first one wins.
const NEIGHBORS: [(isize, isize); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// Five rows around the pixels to decide; the middle row is row `y`.
///
/// Pixels have `STEP` bytes: 3, or 4 with alpha. Rows beyond the image are empty.
pub struct Neighborhood<'rows, const STEP: usize> {
    /// Rows `y - 2` to `y + 2`.
    pub rows: [&'rows [u8]; 5],
    /// The row in the middle.
    pub y: usize,
    /// Number of rows of the image.
    pub height: usize,
}

impl<const STEP: usize> Neighborhood<'_, STEP> {
    #[inline(always)]
    fn pixel(&self, x: usize, dy: isize) -> u32 {
        pixel::<STEP>(self.rows[(2 + dy) as usize], x)
    }

    fn width(&self) -> usize {
        self.rows[2].len() / STEP
    }

    fn on_edge(&self, x: usize, dy: isize) -> bool {
        let y = self.y.wrapping_add_signed(dy);
        x == 0 || y == 0 || x + 1 == self.width() || y + 1 == self.height
    }

    /// Return the index of a pixel of the row in the middle.
    fn index(&self, x: usize) -> usize {
        self.y * self.width() + x
    }

    /// Count the neighbors beyond the edge of the image.
    fn count_beyond(&self, x: usize) -> u32 {
        let beyond = |(dx, dy): &(isize, isize)| !self.is_inside(x as isize + dx, *dy);
        NEIGHBORS.iter().filter(|at| beyond(at)).count() as u32
    }

    fn is_inside(&self, x: isize, dy: isize) -> bool {
        let y = self.y as isize + dy;
        x >= 0 && (x as usize) < self.width() && y >= 0 && (y as usize) < self.height
    }

    /// Count the neighbors of exactly the same color; the edge counts as one.
    #[inline(always)]
    fn count_equal(&self, x: usize, dy: isize) -> u32 {
        let center = self.pixel(x, dy);
        if !self.on_edge(x, dy) {
            let mut count = 0;
            for near in [dy - 1, dy, dy + 1] {
                for at in x - 1..x + 2 {
                    count += u32::from(self.pixel(at, near) == center);
                }
            }
            // The center is equal to itself.
            return count - 1;
        }
        let mut count = 1;
        for (dx, step) in NEIGHBORS {
            let (near_x, near_y) = (x as isize + dx, dy + step);
            if self.is_inside(near_x, near_y) {
                count += u32::from(self.pixel(near_x as usize, near_y) == center);
            }
        }
        count
    }
}

/// Mark the different pixels of the middle row that are anti-aliased in either image.
///
/// `possible`, if given, is false for pixels that certainly are not anti-aliased.
pub fn mark_anti_aliased<const STEP: usize>(
    first: &Neighborhood<'_, STEP>,
    second: &Neighborhood<'_, STEP>,
    possible: Option<&[bool]>,
    mask: &mut [u8],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { mark_with_avx2(first, second, possible, mask) };
    }
    mark_each(first, second, possible, mask);
}

/// The same code, compiled for wider vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn mark_with_avx2<const STEP: usize>(
    first: &Neighborhood<'_, STEP>,
    second: &Neighborhood<'_, STEP>,
    possible: Option<&[bool]>,
    mask: &mut [u8],
) {
    mark_each(first, second, possible, mask);
}

#[inline(always)]
fn mark_each<const STEP: usize>(
    first: &Neighborhood<'_, STEP>,
    second: &Neighborhood<'_, STEP>,
    possible: Option<&[bool]>,
    mask: &mut [u8],
) {
    for (part, marks) in mask.chunks_mut(PART).enumerate() {
        // Most parts of a row have no different pixel.
        if marks.iter().fold(0, |all, mark| all | u8::from(*mark == DIFFERENT)) == 0 {
            continue;
        }
        for (at, mark) in marks.iter_mut().enumerate() {
            let x = part * PART + at;
            if *mark != DIFFERENT || possible.is_some_and(|possible| !possible[x]) {
                continue;
            }
            if is_on_slope(first, second, x) || is_on_slope(second, first, x) {
                *mark = ANTI_ALIASED;
            }
        }
    }
}

#[inline(always)]
fn is_on_slope<const STEP: usize>(
    image: &Neighborhood<'_, STEP>,
    other: &Neighborhood<'_, STEP>,
    x: usize,
) -> bool {
    // Exactly equal pixels are equally bright, too: counting them alone rules out most pixels.
    if image.count_equal(x, 0) > MAX_EQUAL {
        return false;
    }
    let Some(extremes) = find_extremes(image, x) else {
        return false;
    };
    extremes.into_iter().any(|(dx, dy)| {
        let at = x.wrapping_add_signed(dx);
        image.count_equal(at, dy) > MAX_EQUAL && other.count_equal(at, dy) > MAX_EQUAL
    })
}

/// Return the darkest and the brightest neighbor, or None without a darker and a brighter one.
#[inline(always)]
fn find_extremes<const STEP: usize>(
    image: &Neighborhood<'_, STEP>,
    x: usize,
) -> Option<[(isize, isize); 2]> {
    let center = image.pixel(x, 0);
    let mut near = [center; 8];
    let is_edge = image.on_edge(x, 0);
    for at in 0..8 {
        let (dx, dy) = NEIGHBORS[at];
        if !is_edge || image.is_inside(x as isize + dx, dy) {
            near[at] = image.pixel(x.wrapping_add_signed(dx), dy);
        }
    }
    let deltas = match near.iter().fold(center, |all, pixel| all & pixel) >= OPAQUE {
        true => brightness_of_opaque(center, &near),
        false => near.map(|pixel| brightness(subtract(center, pixel, image.index(x)))),
    };
    // Neighbors beyond the edge have the color of the center, but only the edge counts, as one.
    let beyond = if is_edge { image.count_beyond(x) } else { 0 };
    let mut equal = u32::from(is_edge);
    let (mut darkest, mut brightest) = ((0.0, 0), (0.0, 0));
    for (at, delta) in deltas.iter().copied().enumerate() {
        equal += u32::from(delta == 0.0);
        darkest = if delta < darkest.0 { (delta, at) } else { darkest };
        brightest = if delta > brightest.0 { (delta, at) } else { brightest };
    }
    let sloped = equal - beyond <= MAX_EQUAL && darkest.0 < 0.0 && brightest.0 > 0.0;
    sloped.then(|| [NEIGHBORS[darkest.1], NEIGHBORS[brightest.1]])
}

/// Return the brightness of `center` minus that of each neighbor, all of them opaque.
#[inline(always)]
fn brightness_of_opaque(center: u32, near: &[u32; 8]) -> [f64; 8] {
    // Loops, because helpers such as `array::map` would not be compiled for the wider vectors.
    let mut deltas = [0.0; 8];
    for at in 0..8 {
        let channel = |shift: u32| {
            f64::from((center >> shift & 255) as i32 - (near[at] >> shift & 255) as i32)
        };
        deltas[at] = brightness([channel(0), channel(8), channel(16)]);
    }
    deltas
}
