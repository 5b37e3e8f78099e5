//! Distinguish anti-aliased pixels from changed ones, with the decisions of pixelmatch 7.2.
//!
//! Source: V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector" (2009), with the rules
//! pixelmatch adds: a pixel is anti-aliased when at most two neighbors equal it, some are darker
//! and some brighter, and its darkest or brightest neighbor has three equal neighbors in both
//! images. The edge of the image counts as one equal neighbor.

use crate::color::{brightness, subtract};
use crate::difference::{pixel, ANTI_ALIASED, DIFFERENT};

/// A pixel with more equal neighbors is in an area of one color or on its edge.
const MAX_EQUAL: u32 = 2;
const OPAQUE: u32 = 0xff00_0000;
/// Pixels of a mask that are looked through together.
const PART: usize = 16;
/// Pixels that are checked together.
const BLOCK: usize = 32;
/// Column by column, like pixelmatch: of equally dark neighbors the first one wins.
const NEIGHBORS: [(isize, isize); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// Five rows around the pixels that are looked at, of which the middle one is row `y`.
///
/// Pixels have `STEP` bytes: 3, or 4 with alpha. Rows beyond the image are empty.
pub struct Around<'rows, const STEP: usize> {
    /// Rows `y - 2` to `y + 2`.
    pub rows: [&'rows [u8]; 5],
    /// The row in the middle.
    pub y: usize,
    /// Number of rows of the image.
    pub height: usize,
}

impl<const STEP: usize> Around<'_, STEP> {
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
            let three = |near: isize| {
                let is = |at: usize| u32::from(self.pixel(at, near) == center);
                is(x - 1) + is(x) + is(x + 1)
            };
            // The center is equal to itself.
            return three(dy - 1) + three(dy) + three(dy + 1) - 1;
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

impl Around<'_, 4> {
    /// Clear the flags of pixels that are certainly not anti-aliased in this image.
    ///
    /// Many pixels at once: where a whole area changes its color, nearly all of them are equal to
    /// their neighbors. `flags` has a number for each pixel of the row in the middle.
    pub fn flag_possible(&self, flags: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { flag_possible_avx2(self, flags) };
        }
        flag_possible(self, flags);
    }
}

/// The same code, compiled for wider vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn flag_possible_avx2(image: &Around<'_, 4>, flags: &mut [u32]) {
    flag_possible(image, flags);
}

#[inline(always)]
fn flag_possible(image: &Around<'_, 4>, flags: &mut [u32]) {
    let width = flags.len();
    if width < BLOCK + 2 || image.y == 0 || image.y + 1 == image.height {
        return flags.fill(1);
    }
    let rows = [image.rows[1], image.rows[2], image.rows[3]];
    (flags[0], flags[width - 1]) = (1, 1);
    let mut x = 1;
    while x < width - 1 {
        // The last block overlaps the one before.
        x = x.min(width - 1 - BLOCK);
        let near = rows.map(|row| read_pixels(&row[4 * (x - 1)..4 * (x + 1 + BLOCK)]));
        for (at, flag) in flags[x..x + BLOCK].iter_mut().enumerate() {
            let center = near[1][at + 1];
            let is = |row: usize, column: usize| u32::from(near[row][at + column] == center);
            let above = is(0, 0) + is(0, 1) + is(0, 2);
            let below = is(2, 0) + is(2, 1) + is(2, 2);
            *flag |= u32::from(above + is(1, 0) + is(1, 2) + below <= MAX_EQUAL);
        }
        x += BLOCK;
    }
}

#[inline(always)]
fn read_pixels(bytes: &[u8]) -> [u32; BLOCK + 2] {
    let mut pixels = [0; BLOCK + 2];
    for (pixel, bytes) in pixels.iter_mut().zip(bytes.chunks_exact(4)) {
        *pixel = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    pixels
}

/// Mark the different pixels of the row in the middle that are anti-aliased in either image.
///
/// `flags`, where there are any, are zero for pixels that certainly are not.
pub fn mark_anti_aliased<const STEP: usize>(
    first: &Around<'_, STEP>,
    second: &Around<'_, STEP>,
    flags: Option<&[u32]>,
    mask: &mut [u8],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { mark_with_avx2(first, second, flags, mask) };
    }
    mark_each(first, second, flags, mask);
}

/// The same code, compiled for wider vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn mark_with_avx2<const STEP: usize>(
    first: &Around<'_, STEP>,
    second: &Around<'_, STEP>,
    flags: Option<&[u32]>,
    mask: &mut [u8],
) {
    mark_each(first, second, flags, mask);
}

#[inline(always)]
fn mark_each<const STEP: usize>(
    first: &Around<'_, STEP>,
    second: &Around<'_, STEP>,
    flags: Option<&[u32]>,
    mask: &mut [u8],
) {
    for (part, marks) in mask.chunks_mut(PART).enumerate() {
        // Most parts of a row have no different pixel.
        if marks.iter().fold(0, |all, mark| all | u8::from(*mark == DIFFERENT)) == 0 {
            continue;
        }
        for (at, mark) in marks.iter_mut().enumerate() {
            let x = part * PART + at;
            if *mark != DIFFERENT || flags.is_some_and(|flags| flags[x] == 0) {
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
    image: &Around<'_, STEP>,
    other: &Around<'_, STEP>,
    x: usize,
) -> bool {
    // Exactly equal pixels are equally bright, too: this alone rules out most pixels.
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
    image: &Around<'_, STEP>,
    x: usize,
) -> Option<[(isize, isize); 2]> {
    let center = image.pixel(x, 0);
    let mut near = [center; 8];
    let is_edge = image.on_edge(x, 0);
    for (at, (dx, dy)) in NEIGHBORS.into_iter().enumerate() {
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
    for (at, delta) in deltas.into_iter().enumerate() {
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
    let channel = |shift: u32| {
        let middle = (center >> shift & 255) as i32;
        near.map(|pixel| f64::from(middle - (pixel >> shift & 255) as i32))
    };
    let (red, green, blue) = (channel(0), channel(8), channel(16));
    std::array::from_fn(|at| brightness([red[at], green[at], blue[at]]))
}
