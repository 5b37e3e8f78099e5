//! Find out for many pixels at once which cannot be anti-aliased.
//!
//! An anti-aliased pixel has few equal neighbors, and one of its neighbors has several in both
//! images. Where a whole area changed, or only noise is there, this rules out nearly all pixels
//! without a look at their brightness.

use crate::antialiasing::MAX_EQUAL;

/// Pixels checked together.
const BLOCK: usize = 32;
/// Kept rows: more than the three around a pixel.
const ROWS: usize = 4;

/// The pixel has several equal neighbors in both images.
const FLAT: u8 = 1;
/// The pixel has few equal neighbors in one of the images.
const RUGGED: u8 = 2;

/// The rows above, at and below one row of an image, as RGBA.
pub type Three<'rows> = [&'rows [u8]; 3];

/// Results for the rows checked lately.
pub struct Flatness {
    rows: [Vec<u8>; ROWS],
    loaded: [Option<usize>; ROWS],
    near: Vec<u8>,
    possible: Vec<bool>,
}

impl Flatness {
    /// `width` is the width of the compared part.
    pub fn new(width: usize) -> Self {
        Self {
            rows: std::array::from_fn(|_| vec![0; width]),
            loaded: [None; ROWS],
            near: vec![0; width],
            possible: vec![true; width],
        }
    }

    /// Check row `y`, unless the row is loaded. Nothing is ruled out without `around`.
    pub fn load(&mut self, y: usize, around: Option<[Three; 2]>) {
        if self.loaded[y % ROWS] == Some(y) {
            return;
        }
        self.loaded[y % ROWS] = Some(y);
        let flags = &mut self.rows[y % ROWS];
        match around {
            Some(images) if flags.len() >= BLOCK + 2 => look(images, flags),
            _ => flags.fill(FLAT | RUGGED),
        }
    }

    /// Return for each pixel of row `y` whether it may be anti-aliased; its neighbors are loaded.
    pub fn possible(&mut self, y: usize) -> &[bool] {
        let [above, same, below] =
            [y + ROWS - 1, y, y + 1].map(|row| self.rows[row % ROWS].as_slice());
        for (near, ((a, b), c)) in self.near.iter_mut().zip(above.iter().zip(same).zip(below)) {
            *near = a | b | c;
        }
        // Pixels at the edge stay possible. Slices of one length need no checks in the loop.
        let Some(inner) = self.near.len().checked_sub(2) else {
            return &self.possible;
        };
        let [left, middle, right] = [0, 1, 2].map(|start| &self.near[start..][..inner]);
        let (own, possible) = (&same[1..][..inner], &mut self.possible[1..][..inner]);
        for x in 0..inner {
            let is_near_flat = (left[x] | middle[x] | right[x]) & FLAT != 0;
            possible[x] = is_near_flat & (own[x] & RUGGED != 0);
        }
        &self.possible
    }
}

fn look(images: [Three; 2], flags: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { look_with_avx2(images, flags) };
    }
    look_at_blocks(images, flags);
}

/// The same code, compiled for wider vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn look_with_avx2(images: [Three; 2], flags: &mut [u8]) {
    look_at_blocks(images, flags);
}

// Helpers such as `array::map` would not be compiled for the wider vectors.
#[inline(always)]
fn look_at_blocks(images: [Three; 2], flags: &mut [u8]) {
    let width = flags.len();
    // At the edge other rules apply.
    (flags[0], flags[width - 1]) = (FLAT | RUGGED, FLAT | RUGGED);
    let mut x = 1;
    while x < width - 1 {
        // The last block overlaps the one before.
        x = x.min(width - 1 - BLOCK);
        let counts = (count_equal(images[0], x), count_equal(images[1], x));
        for (at, flag) in flags[x..x + BLOCK].iter_mut().enumerate() {
            let fewest = counts.0[at].min(counts.1[at]);
            *flag = if fewest > MAX_EQUAL { FLAT } else { RUGGED };
        }
        x += BLOCK;
    }
}

/// Count the equal neighbors of `BLOCK` pixels from `x` on.
#[inline(always)]
fn count_equal(rows: Three, x: usize) -> [u32; BLOCK] {
    let columns = 4 * (x - 1)..4 * (x + 1 + BLOCK);
    let above = read_pixels(&rows[0][columns.clone()]);
    let same = read_pixels(&rows[1][columns.clone()]);
    let below = read_pixels(&rows[2][columns]);
    let mut counts = [0; BLOCK];
    for at in 0..BLOCK {
        let center = same[at + 1];
        let is = |pixel: u32| u32::from(pixel == center);
        counts[at] = is(above[at]) + is(above[at + 1]) + is(above[at + 2]);
        counts[at] += is(same[at]) + is(same[at + 2]);
        counts[at] += is(below[at]) + is(below[at + 1]) + is(below[at + 2]);
    }
    counts
}

#[inline(always)]
fn read_pixels(bytes: &[u8]) -> [u32; BLOCK + 2] {
    let mut pixels = [0; BLOCK + 2];
    for (pixel, bytes) in pixels.iter_mut().zip(bytes.chunks_exact(4)) {
        *pixel = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    pixels
}
