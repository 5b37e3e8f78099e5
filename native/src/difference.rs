//! Compare one row of pixels with another.

use crate::color::{
    rough_distance, squared_distance, subtract_blended, subtract_opaque, MAX_SQUARED, ROUNDING,
};

/// Values of the mask, 0 where pixels are the same: the pixels differ by more than the threshold.
pub const DIFFERENT: u8 = 1;
/// The pixels differ by more than the threshold, and are anti-aliased.
pub const ANTI_ALIASED: u8 = 2;
/// The pixels differ by no more than the threshold.
pub const SLIGHT: u8 = 3;

const OPAQUE: u32 = 0xff00_0000;
/// Pixels compared at once.
const BLOCK: usize = 32;

/// The squared distance above which pixels are different.
#[derive(Clone, Copy)]
pub struct Threshold {
    exact: f64,
    low: f32,
    high: f32,
}

impl Threshold {
    /// `threshold` is 0..1, the largest distance of colors that count as equal.
    pub fn new(threshold: f64) -> Self {
        let exact = MAX_SQUARED * threshold * threshold;
        Self { exact, low: exact as f32 - ROUNDING, high: exact as f32 + ROUNDING }
    }
}

/// Return a pixel of a row whose pixels have `STEP` bytes: 3, or 4 with alpha.
#[inline(always)]
pub fn pixel<const STEP: usize>(row: &[u8], x: usize) -> u32 {
    let bytes = &row[x * STEP..x * STEP + STEP];
    let alpha = if STEP == 4 { bytes[STEP - 1] } else { 255 };
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], alpha])
}

/// Mark the differing pixels of a row, whose first pixel has `index` in the image.
///
/// Returns the number of different ones. `mask` has zeros.
pub fn mark_row<const STEP: usize>(
    before: &[u8],
    after: &[u8],
    index: usize,
    threshold: Threshold,
    mask: &mut [u8],
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { mark_row_avx2::<STEP>(before, after, index, threshold, mask) };
    }
    mark_blocks::<STEP>(before, after, index, threshold, mask)
}

/// The same code, compiled for wider vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn mark_row_avx2<const STEP: usize>(
    before: &[u8],
    after: &[u8],
    index: usize,
    threshold: Threshold,
    mask: &mut [u8],
) -> usize {
    mark_blocks::<STEP>(before, after, index, threshold, mask)
}

#[inline(always)]
fn mark_blocks<const STEP: usize>(
    before: &[u8],
    after: &[u8],
    index: usize,
    threshold: Threshold,
    mask: &mut [u8],
) -> usize {
    let mut count = 0;
    let starts = (index..).step_by(BLOCK);
    let blocks = before.chunks(BLOCK * STEP).zip(after.chunks(BLOCK * STEP));
    for (((one, two), marks), index) in blocks.zip(mask.chunks_mut(BLOCK)).zip(starts) {
        if !is_equal(one, two) {
            count += match marks.len() {
                BLOCK => mark_block::<STEP>(one, two, index, threshold, marks),
                _ => mark_exactly::<STEP>(one, two, index, threshold, marks),
            };
        }
    }
    count
}

/// Without a branch for each byte, the comparison is a few vector instructions.
#[inline(always)]
fn is_equal(one: &[u8], two: &[u8]) -> bool {
    one.iter().zip(two).fold(0, |unequal, (a, b)| unequal | (a ^ b)) == 0
}

#[inline(always)]
fn mark_block<const STEP: usize>(
    one: &[u8],
    two: &[u8],
    index: usize,
    threshold: Threshold,
    marks: &mut [u8],
) -> usize {
    let (mut old, mut new, mut alpha) = ([0u32; BLOCK], [0u32; BLOCK], OPAQUE);
    for at in 0..BLOCK {
        (old[at], new[at]) = (pixel::<STEP>(one, at), pixel::<STEP>(two, at));
        alpha &= old[at] & new[at];
    }
    let mut distances = [0.0; BLOCK];
    if alpha < OPAQUE {
        for at in 0..BLOCK {
            distances[at] = rough_distance(subtract_blended(old[at], new[at], index + at));
        }
    } else {
        for at in 0..BLOCK {
            distances[at] = rough_distance(subtract_opaque(old[at], new[at]));
        }
    }
    let (mut codes, mut unsure) = ([0u32; BLOCK], 0);
    for at in 0..BLOCK {
        let differs = u32::from(old[at] != new[at]);
        let over = u32::from(distances[at] > threshold.high);
        unsure |= differs & u32::from(distances[at] >= threshold.low) & (1 - over);
        codes[at] = differs * (u32::from(SLIGHT) - 2 * over);
    }
    if unsure != 0 {
        return mark_exactly::<STEP>(one, two, index, threshold, marks);
    }
    let mut count = 0;
    for (mark, code) in marks.iter_mut().zip(codes) {
        *mark = code as u8;
        count += u32::from(code == u32::from(DIFFERENT));
    }
    count as usize
}

fn mark_exactly<const STEP: usize>(
    one: &[u8],
    two: &[u8],
    index: usize,
    threshold: Threshold,
    marks: &mut [u8],
) -> usize {
    let mut count = 0;
    for (at, mark) in marks.iter_mut().enumerate() {
        let (old, new) = (pixel::<STEP>(one, at), pixel::<STEP>(two, at));
        if old != new {
            let over = squared_distance(old, new, index + at) > threshold.exact;
            *mark = if over { DIFFERENT } else { SLIGHT };
            count += usize::from(over);
        }
    }
    count
}
