//! How two images differ in single pixels, for what looks for faint areas.

use crate::difference::SLIGHT;
use crate::pixels::Pixels;

/// Smaller differences of all channels are rounding.
const LEAST: i32 = 3;
/// How much darker or brighter a neighbor has to be.
const MARGIN: i32 = 2;

/// Two images.
pub struct Pair<'data> {
    /// The earlier one.
    pub before: Pixels<'data>,
    /// The later one.
    pub after: Pixels<'data>,
    /// Width and height of what both have.
    pub shared: (usize, usize),
    /// The width of their union.
    pub width: usize,
}

/// Red, green and blue, or how much they differ.
pub type Color = [i32; 3];

impl Pair<'_> {
    fn colors(&self, x: usize, y: usize) -> [Color; 2] {
        [over_white(self.before.get(x, y)), over_white(self.after.get(x, y))]
    }

    /// Return the difference of a pixel.
    pub fn delta(&self, x: usize, y: usize) -> Color {
        let [old, new] = self.colors(x, y);
        [0, 1, 2].map(|channel| new[channel] - old[channel])
    }

    /// Return whether no neighbor is darker, or none is brighter, in both images.
    pub fn is_extreme(&self, x: usize, y: usize) -> bool {
        [self.before, self.after].iter().all(|image| {
            let own = luma(image.get(x, y));
            let (mut darker, mut brighter) = (false, false);
            for near_y in y.saturating_sub(1)..(y + 2).min(self.shared.1) {
                for near_x in x.saturating_sub(1)..(x + 2).min(self.shared.0) {
                    let near = luma(image.get(near_x, near_y));
                    darker |= near < own - MARGIN;
                    brighter |= near > own + MARGIN;
                }
            }
            !(darker && brighter)
        })
    }
}

/// Return whether a pixel of the mask differs by no more than the threshold, not by rounding only.
pub fn is_candidate(code: u8, delta: Color) -> bool {
    code == SLIGHT && largest(delta) >= LEAST
}

fn over_white(pixel: u32) -> Color {
    let [red, green, blue, alpha] = pixel.to_le_bytes().map(i32::from);
    [red, green, blue].map(|value| (value * alpha + 255 * (255 - alpha)) / 255)
}

fn luma(pixel: u32) -> i32 {
    let [red, green, blue] = over_white(pixel);
    (red * 77 + green * 150 + blue * 29) >> 8
}

/// Return the largest difference of a channel.
pub fn largest(delta: Color) -> i32 {
    delta.map(i32::abs).into_iter().max().unwrap_or(0)
}
