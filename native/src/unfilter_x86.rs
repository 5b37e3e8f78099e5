//! The Paeth filter with the vectors of every x86-64 processor.
//!
//! All bytes of a pixel are predicted at once; pixels depend on each other, so one at a time.

use core::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cmpgt_epi16,
    _mm_cvtsi128_si64, _mm_cvtsi64_si128, _mm_max_epi16, _mm_min_epi16, _mm_or_si128,
    _mm_packus_epi16, _mm_setzero_si128, _mm_sub_epi16, _mm_unpacklo_epi8,
};

/// A row, with pixels of `STEP` bytes, and the unfiltered row above.
pub struct Rows<'a> {
    /// The row to unfilter.
    pub row: &'a mut [u8],
    /// The row above.
    pub above: &'a [u8],
}

/// Undo the Paeth filter for pixels of `STEP` bytes, 3 or 4.
pub fn paeth<const STEP: usize>(row: &mut [u8], above: &[u8]) {
    // SAFETY: SSE2 belongs to every x86-64.
    unsafe { undo::<STEP>(Rows { row, above }, None) }
}

/// Undo the Paeth filter in two rows of the same length, in the time of one.
pub fn paeth_of_two<const STEP: usize>(one: Rows, two: Rows) {
    // SAFETY: SSE2 belongs to every x86-64.
    unsafe { undo::<STEP>(one, Some(two)) }
}

#[target_feature(enable = "sse2")]
fn undo<const STEP: usize>(one: Rows, mut two: Option<Rows>) {
    let (mut left, mut corner) = (_mm_setzero_si128(), _mm_setzero_si128());
    let length = one.row.len();
    for at in (0..length).step_by(STEP) {
        let place = at..at + STEP;
        let [mut byte, mut up] = [&one.row[place.clone()], &one.above[place.clone()]].map(read);
        if let Some(two) = &two {
            byte |= read(&two.row[place.clone()]) << 32;
            up |= read(&two.above[place.clone()]) << 32;
        }
        let up = widen(up);
        // The upper halves of the numbers are zero, so that adding bytes wraps as in PNG.
        left = _mm_add_epi8(widen(byte), predict(left, up, corner));
        corner = up;
        let packed = _mm_cvtsi128_si64(_mm_packus_epi16(left, left)).to_le_bytes();
        one.row[place.clone()].copy_from_slice(&packed[..STEP]);
        if let Some(two) = &mut two {
            two.row[place].copy_from_slice(&packed[4..4 + STEP]);
        }
    }
}

#[inline(always)]
fn read(pixel: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..pixel.len()].copy_from_slice(pixel);
    u64::from_le_bytes(bytes)
}

/// Return eight bytes as numbers of 16 bits, so that differences have a sign.
#[target_feature(enable = "sse2")]
#[inline]
fn widen(bytes: u64) -> __m128i {
    _mm_unpacklo_epi8(_mm_cvtsi64_si128(bytes as i64), _mm_setzero_si128())
}

/// Return the neighbor nearest to `left + up - corner`, of ties the left one, then up.
///
/// The nearest is the smaller of `left` and `up` if the larger is at most `3 corner - left - up`,
/// the larger if `3 corner - left - up` is at most the smaller, and otherwise the corner. Compared
/// with distances, fewer steps depend on the pixel on the left, known last.
///
/// Source: the formula of F. Giesen in stb_image 2.29.
#[target_feature(enable = "sse2")]
#[inline]
fn predict(left: __m128i, up: __m128i, corner: __m128i) -> __m128i {
    let thrice = _mm_add_epi16(corner, _mm_add_epi16(corner, corner));
    let limit = _mm_sub_epi16(_mm_sub_epi16(thrice, up), left);
    let (low, high) = (_mm_min_epi16(left, up), _mm_max_epi16(left, up));
    let (above_limit, below_limit) = (_mm_cmpgt_epi16(high, limit), _mm_cmpgt_epi16(limit, low));
    let inner =
        _mm_or_si128(_mm_and_si128(above_limit, corner), _mm_andnot_si128(above_limit, low));
    _mm_or_si128(_mm_and_si128(below_limit, inner), _mm_andnot_si128(below_limit, high))
}
