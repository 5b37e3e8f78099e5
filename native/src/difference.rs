//! Compare one row of pixels with another.

use crate::color::{rough_distance, squared_distance, MAX_SQUARED, ROUNDING};

/// Values of the mask, which is 0 where pixels are the same: they differ by more than the threshold.
pub const DIFFERENT: u8 = 1;
/// They do, and are anti-aliased.
pub const ANTI_ALIASED: u8 = 2;
/// They differ by no more than the threshold.
pub const SLIGHT: u8 = 3;

const BLOCK: usize = 32;

/// The squared distance above which pixels are different.
#[derive(Clone, Copy)]
pub struct Threshold {
    exact: f64,
    low: f32,
    high: f32,
}

impl Threshold {
    /// `threshold` is 0..1, the largest distance that counts as equal.
    pub fn new(threshold: f64) -> Self {
        let exact = MAX_SQUARED * threshold * threshold;
        Self { exact, low: exact as f32 - ROUNDING, high: exact as f32 + ROUNDING }
    }
}

/// Mark the differing pixels of a row, whose first pixel has `index` in the image.
///
/// Returns the number of different ones. `mask` has zeros.
pub fn mark_row(
    before: &[u32],
    after: &[u32],
    index: usize,
    threshold: Threshold,
    mask: &mut [u8],
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { mark_row_avx2(before, after, index, threshold, mask) };
    }
    mark_blocks(before, after, index, threshold, mask)
}

/// The same code, compiled for wider vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn mark_row_avx2(
    before: &[u32],
    after: &[u32],
    index: usize,
    threshold: Threshold,
    mask: &mut [u8],
) -> usize {
    mark_blocks(before, after, index, threshold, mask)
}

#[inline(always)]
fn mark_blocks(
    before: &[u32],
    after: &[u32],
    index: usize,
    threshold: Threshold,
    mask: &mut [u8],
) -> usize {
    let mut count = 0;
    let starts = (index..).step_by(BLOCK);
    let blocks = before.chunks(BLOCK).zip(after.chunks(BLOCK)).zip(mask.chunks_mut(BLOCK));
    for (((one, two), marks), index) in blocks.zip(starts) {
        count += match (<&[u32; BLOCK]>::try_from(one), <&[u32; BLOCK]>::try_from(two)) {
            (Ok(one), Ok(two)) => mark_block(one, two, index, threshold, marks),
            _ => mark_exactly(one, two, index, threshold, marks),
        };
    }
    count
}

#[inline(always)]
fn mark_block(
    one: &[u32; BLOCK],
    two: &[u32; BLOCK],
    index: usize,
    threshold: Threshold,
    marks: &mut [u8],
) -> usize {
    let (mut unequal, mut alpha) = (0, u32::MAX);
    for at in 0..BLOCK {
        unequal |= one[at] ^ two[at];
        alpha &= one[at] & two[at];
    }
    if unequal == 0 {
        return 0;
    }
    // Transparent pixels are blended with a background, which needs exact numbers.
    if alpha < 0xff00_0000 {
        return mark_exactly(one, two, index, threshold, marks);
    }
    let (mut codes, mut unsure) = ([0u32; BLOCK], 0);
    for at in 0..BLOCK {
        let distance = rough_distance(one[at], two[at]);
        let differs = u32::from(one[at] != two[at]);
        let over = u32::from(distance > threshold.high);
        unsure |= differs & u32::from(distance >= threshold.low) & (1 - over);
        codes[at] = differs * (u32::from(SLIGHT) - 2 * over);
    }
    if unsure != 0 {
        return mark_exactly(one, two, index, threshold, marks);
    }
    let mut count = 0;
    for (mark, code) in marks.iter_mut().zip(codes) {
        *mark = code as u8;
        count += usize::from(code == u32::from(DIFFERENT));
    }
    count
}

fn mark_exactly(
    one: &[u32],
    two: &[u32],
    index: usize,
    threshold: Threshold,
    marks: &mut [u8],
) -> usize {
    let mut count = 0;
    for (at, ((first, second), mark)) in one.iter().zip(two).zip(marks).enumerate() {
        if first == second {
            continue;
        }
        let over = squared_distance(*first, *second, index + at) > threshold.exact;
        *mark = if over { DIFFERENT } else { SLIGHT };
        count += usize::from(over);
    }
    count
}
