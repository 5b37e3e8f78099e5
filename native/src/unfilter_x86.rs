//! The Paeth filter with the vectors that every x86-64 has.
//!
//! All bytes of a pixel are predicted at once; pixels depend on each other, so one at a time.

use core::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_and_si128, _mm_andnot_si128, _mm_cmpgt_epi16, _mm_cvtsi128_si64,
    _mm_cvtsi64_si128, _mm_max_epi16, _mm_min_epi16, _mm_or_si128, _mm_packus_epi16,
    _mm_set1_epi16, _mm_setzero_si128, _mm_sub_epi16, _mm_unpacklo_epi8,
};

/// A row, with pixels of `STEP` bytes, and the unfiltered row above it.
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
    let low_bytes = _mm_set1_epi16(0xff);
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
        left = _mm_and_si128(_mm_add_epi16(widen(byte), predict(left, up, corner)), low_bytes);
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

#[target_feature(enable = "sse2")]
#[inline]
fn predict(left: __m128i, up: __m128i, corner: __m128i) -> __m128i {
    let (to_left, to_up) = (_mm_sub_epi16(up, corner), _mm_sub_epi16(left, corner));
    let to_corner = _mm_add_epi16(to_left, to_up);
    let (to_left, to_up, to_corner) = (absolute(to_left), absolute(to_up), absolute(to_corner));
    let nearest = _mm_min_epi16(to_corner, _mm_min_epi16(to_left, to_up));
    // Ties go to the left, then up, so each is chosen unless it is farther than the nearest.
    let not_left = _mm_cmpgt_epi16(to_left, nearest);
    let not_up = _mm_cmpgt_epi16(to_up, nearest);
    let up_or_corner = _mm_or_si128(_mm_andnot_si128(not_up, up), _mm_and_si128(not_up, corner));
    _mm_or_si128(_mm_andnot_si128(not_left, left), _mm_and_si128(not_left, up_or_corner))
}

#[target_feature(enable = "sse2")]
#[inline]
fn absolute(value: __m128i) -> __m128i {
    _mm_max_epi16(value, _mm_sub_epi16(_mm_setzero_si128(), value))
}
