//! Convert pixels with the vectors of nearly every x86-64 processor.

use core::arch::x86_64::{
    _mm_loadu_si128, _mm_or_si128, _mm_set1_epi32, _mm_setr_epi8, _mm_shuffle_epi8,
    _mm_storeu_si128,
};

/// Convert opaque pixels of three bytes to four; return how many were converted.
///
/// A few at the end are left, because four pixels are read as sixteen bytes.
#[target_feature(enable = "ssse3")]
pub fn add_alpha(row: &[u8], pixels: &mut [u8]) -> usize {
    let spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    let opaque = _mm_set1_epi32(i32::from_be_bytes([255, 0, 0, 0]));
    let mut done = 0;
    while 3 * done + 16 <= row.len() && 4 * done + 16 <= pixels.len() {
        let (source, target) =
            (&row[3 * done..3 * done + 16], &mut pixels[4 * done..4 * done + 16]);
        // SAFETY: both slices have sixteen bytes.
        unsafe {
            let four = _mm_shuffle_epi8(_mm_loadu_si128(source.as_ptr().cast()), spread);
            _mm_storeu_si128(target.as_mut_ptr().cast(), _mm_or_si128(four, opaque));
        }
        done += 4;
    }
    done
}
