//! Distinguish anti-aliased pixels from changed ones, with the decisions of pixelmatch 7.2.
//!
//! Source: V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector" (2009), with the rules
//! pixelmatch adds: a pixel is anti-aliased when at most two neighbors equal it, some are darker
//! and some brighter, and its darkest or brightest neighbor has three equal neighbors in both
//! images. The edge of the image counts as one equal neighbor.

use crate::color::{brightness, subtract};

/// A pixel with more equal neighbors is in an area of one color or on its edge.
const MAX_EQUAL: u32 = 2;
/// Column by column, like pixelmatch: of equally dark neighbors the first one wins.
const NEIGHBORS: [(isize, isize); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// Five rows around the pixels that are looked at, of which the middle one is row `y`.
///
/// Rows beyond the image are empty.
pub struct Around<'rows> {
    /// Rows `y - 2` to `y + 2`.
    pub rows: [&'rows [u32]; 5],
    /// The row in the middle.
    pub y: usize,
    /// Number of rows of the image.
    pub height: usize,
}

impl Around<'_> {
    fn pixel(&self, x: usize, dy: isize) -> u32 {
        self.rows[(2 + dy) as usize][x]
    }

    fn width(&self) -> usize {
        self.rows[2].len()
    }

    fn on_edge(&self, x: usize, dy: isize) -> bool {
        let y = self.y.wrapping_add_signed(dy);
        x == 0 || y == 0 || x + 1 == self.width() || y + 1 == self.height
    }

    fn is_inside(&self, x: isize, dy: isize) -> bool {
        let y = self.y as isize + dy;
        x >= 0 && (x as usize) < self.width() && y >= 0 && (y as usize) < self.height
    }

    /// Count the neighbors of exactly the same color; the edge counts as one.
    fn count_equal(&self, x: usize, dy: isize) -> u32 {
        let center = self.pixel(x, dy);
        if !self.on_edge(x, dy) {
            let at = (2 + dy) as usize;
            let near = |row: usize| &self.rows[row][x - 1..x + 2];
            let (above, same, below) = (near(at - 1), near(at), near(at + 1));
            let is = |pixel: u32| u32::from(pixel == center);
            let sum = |part: &[u32]| is(part[0]) + is(part[1]) + is(part[2]);
            // The center is equal to itself.
            return sum(above) + sum(same) + sum(below) - 1;
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

/// Return whether pixel `x` of the row in the middle is anti-aliased in either image.
pub fn is_anti_aliased(first: &Around, second: &Around, x: usize) -> bool {
    is_on_slope(first, second, x) || is_on_slope(second, first, x)
}

fn is_on_slope(image: &Around, other: &Around, x: usize) -> bool {
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
fn find_extremes(image: &Around, x: usize) -> Option<[(isize, isize); 2]> {
    let index = image.y * image.width() + x;
    let center = image.pixel(x, 0);
    let mut equal = u32::from(image.on_edge(x, 0));
    let (mut darkest, mut brightest) = ((0.0, (0, 0)), (0.0, (0, 0)));
    for (dx, dy) in NEIGHBORS {
        let near_x = x as isize + dx;
        if !image.is_inside(near_x, dy) {
            continue;
        }
        let near = image.pixel(near_x as usize, dy);
        let delta = brightness(subtract(center, near, index));
        if delta == 0.0 {
            equal += 1;
        } else if delta < darkest.0 {
            darkest = (delta, (dx, dy));
        } else if delta > brightest.0 {
            brightest = (delta, (dx, dy));
        }
    }
    let sloped = equal <= MAX_EQUAL && darkest.0 < 0.0 && brightest.0 > 0.0;
    sloped.then_some([darkest.1, brightest.1])
}
