//! Differences of two images in single pixels, for finding faint areas.

use crate::difference::SLIGHT;
use crate::pixels::Pixels;

/// Smaller differences of all channels are rounding.
const LEAST: i32 = 3;
/// How far beyond all colors around a channel of a new one has to be.
const MARGIN: i32 = 2;
/// The bits of the mask that say how a pixel differs; the others mark runs meanwhile.
pub const CODE: u8 = 0x0f;
/// After the three channels.
const LUMA: usize = 3;

/// Two images.
pub struct Pair<'data> {
    /// The earlier one.
    pub before: Pixels<'data>,
    /// The later one.
    pub after: Pixels<'data>,
    /// Width and height of the part in both images.
    pub shared: (usize, usize),
    /// The width of their union.
    pub width: usize,
}

/// Red, green and blue, or the differences of each.
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

    /// Return whether a pixel has in one image a color found nowhere around it in the other.
    ///
    /// Where an edge is rendered otherwise, each color is between the surrounding colors in both
    /// images.
    pub fn is_new(&self, x: usize, y: usize) -> bool {
        self.find_new(x, y).contains(&true)
    }

    /// Return whether a pixel has in one image a brightness found nowhere around it in the other.
    pub fn has_new_luma(&self, x: usize, y: usize) -> bool {
        self.find_new(x, y)[LUMA]
    }

    /// Return by how much brighter a pixel is in the later image.
    pub fn luma_delta(&self, x: usize, y: usize) -> i32 {
        with_luma(self.after.get(x, y))[LUMA] - with_luma(self.before.get(x, y))[LUMA]
    }

    /// Return how far the brightness of a pixel is beyond all around it in the other image.
    pub fn beyond_luma(&self, x: usize, y: usize) -> i32 {
        let one = self.find_distance(&self.before, &self.after, x, y);
        let two = self.find_distance(&self.after, &self.before, x, y);
        one[LUMA].max(two[LUMA])
    }

    fn find_new(&self, x: usize, y: usize) -> [bool; 4] {
        let one = self.find_beyond(&self.before, &self.after, x, y);
        let two = self.find_beyond(&self.after, &self.before, x, y);
        [0, 1, 2, 3].map(|at| one[at] || two[at])
    }

    fn find_beyond(&self, own: &Pixels, other: &Pixels, x: usize, y: usize) -> [bool; 4] {
        self.find_distance(own, other, x, y).map(|distance| distance > MARGIN)
    }

    /// Return how far each channel is beyond the surrounding pixels in the other image.
    fn find_distance(&self, own: &Pixels, other: &Pixels, x: usize, y: usize) -> [i32; 4] {
        let own = with_luma(own.get(x, y));
        let (mut least, mut most) = ([i32::MAX; 4], [i32::MIN; 4]);
        for near_y in y.saturating_sub(1)..(y + 2).min(self.shared.1) {
            for near_x in x.saturating_sub(1)..(x + 2).min(self.shared.0) {
                let near = with_luma(other.get(near_x, near_y));
                for at in 0..4 {
                    least[at] = least[at].min(near[at]);
                    most[at] = most[at].max(near[at]);
                }
            }
        }
        [0, 1, 2, 3].map(|at| (least[at] - own[at]).max(own[at] - most[at]))
    }
}

/// Return red, green, blue and, in 1/256 of these levels, luma.
fn with_luma(pixel: u32) -> [i32; 4] {
    let [red, green, blue] = over_white(pixel);
    [red, green, blue, (red * 77 + green * 150 + blue * 29) >> 8]
}

/// Return whether a pixel of the mask differs by no more than the threshold, not by rounding only.
pub fn is_candidate(code: u8, delta: Color) -> bool {
    code == SLIGHT && largest(delta) >= LEAST
}

fn over_white(pixel: u32) -> Color {
    let [red, green, blue, alpha] = pixel.to_le_bytes().map(i32::from);
    [red, green, blue].map(|value| (value * alpha + 255 * (255 - alpha)) / 255)
}

/// Return the largest difference of a channel.
pub fn largest(delta: Color) -> i32 {
    delta.map(i32::abs).into_iter().max().unwrap_or(0)
}
