//! Perceived difference of two colors, exactly as pixelmatch 7.2 computes it.
//!
//! Colors are `u32` with red in the low byte and alpha in the high one.
//!
//! Source: Y. Kotsarenko, F. Ramos, "Measuring perceived color difference using YIQ NTSC
//! transmission color space in mobile applications" (2010). Sums are in pixelmatch's order, because
//! floating point rounds differently in any other.

/// The largest possible squared distance, between black and white.
pub const MAX_SQUARED: f64 = 35215.0;

const GOLDEN: f64 = 1.618_033_988_749_895;
const GOLDEN_SQUARED: f64 = 2.618_033_988_749_895;

/// Return red, green and blue of `first` minus `second`.
///
/// Where either is transparent, both are blended with a background that depends on `index`, the
/// index of the pixel in the image.
#[inline]
pub fn subtract(first: u32, second: u32, index: usize) -> [f64; 3] {
    let (one, two) = (first.to_le_bytes().map(i32::from), second.to_le_bytes().map(i32::from));
    if one[3] == 255 && two[3] == 255 {
        return [0, 1, 2].map(|channel| f64::from(one[channel] - two[channel]));
    }
    let alpha = one[3] - two[3];
    let background = backgrounds(index);
    [0, 1, 2].map(|channel| {
        let blended = one[channel] * one[3] - two[channel] * two[3];
        f64::from(blended - background[channel] * alpha) / 255.0
    })
}

fn backgrounds(index: usize) -> [i32; 3] {
    // pixelmatch counts bytes, four a pixel; the red background of an even offset is always 48.
    let offset = (4 * index) as f64;
    let by = |divisor: f64| 48 + 159 * ((offset / divisor) as i64 % 2) as i32;
    [48, by(GOLDEN), by(GOLDEN_SQUARED)]
}

/// Return the Y of a YIQ difference.
#[inline]
pub fn brightness([red, green, blue]: [f64; 3]) -> f64 {
    red * 0.298_895_31 + green * 0.586_622_47 + blue * 0.114_482_23
}

/// Return the squared YIQ distance of two pixels; arguments as for `subtract`.
#[inline]
pub fn squared_distance(first: u32, second: u32, index: usize) -> f64 {
    let color = subtract(first, second, index);
    let [red, green, blue] = color;
    let y = brightness(color);
    let i = red * 0.595_977_99 - green * 0.274_176_10 - blue * 0.321_801_89;
    let q = red * 0.211_470_17 - green * 0.522_617_11 + blue * 0.311_146_94;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

/// Return about the same distance, within `ROUNDING` of the exact one, for a difference of colors.
#[inline(always)]
pub fn rough_distance([red, green, blue]: [f32; 3]) -> f32 {
    let y = red * 0.298_895_3 + green * 0.586_622_5 + blue * 0.114_482_23;
    let i = red * 0.595_978 - green * 0.274_176_1 - blue * 0.321_801_9;
    let q = red * 0.211_470_17 - green * 0.522_617_1 + blue * 0.311_146_94;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

/// Return red, green and blue of `first` minus `second`, both opaque.
#[inline(always)]
pub fn subtract_opaque(first: u32, second: u32) -> [f32; 3] {
    let channel = |shift: u32| (part(first, shift) - part(second, shift)) as f32;
    [channel(0), channel(8), channel(16)]
}

/// Return approximately the result of `subtract`.
#[inline(always)]
pub fn subtract_blended(first: u32, second: u32, index: usize) -> [f32; 3] {
    let (one, two) = (part(first, 24), part(second, 24));
    let offset = (4 * index) as f64;
    let by = |divisor: f64| 48 + 159 * ((offset / divisor) as i32 & 1);
    let channel = |shift: u32, background: i32| {
        let blended = part(first, shift) * one - part(second, shift) * two;
        (blended - background * (one - two)) as f32 * (1.0 / 255.0)
    };
    [channel(0, 48), channel(8, by(GOLDEN)), channel(16, by(GOLDEN_SQUARED))]
}

#[inline(always)]
fn part(pixel: u32, shift: u32) -> i32 {
    (pixel >> shift & 255) as i32
}

/// The sums are below 256 and rounded by less than 1e-4, so their squares by less than 0.06.
pub const ROUNDING: f32 = 0.125;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_distances_are_near_exact_ones() {
        for seed in 0..2_000_000u32 {
            let one = seed.wrapping_mul(2_654_435_761);
            let two = seed.wrapping_mul(40_503).wrapping_add(12_345);
            let opaque = [one, two].map(|pixel| pixel | 0xff00_0000);
            let index = seed as usize * 50;
            let pairs = [
                (rough_distance(subtract_blended(one, two, index)), [one, two]),
                (rough_distance(subtract_opaque(opaque[0], opaque[1])), opaque),
            ];
            for (rough, [one, two]) in pairs {
                let off = f64::from(rough) - squared_distance(one, two, index);
                assert!(off.abs() < f64::from(ROUNDING) / 2.0, "{one:x} {two:x}: {off}");
            }
        }
    }
}
