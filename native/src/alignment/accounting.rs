//! Account for every pixel of two images between which content moved.
//!
//! Each pixel of the earlier image explains at most one of the later image: at the same place, or
//! at the place to which content moved. Unexplained pixels are new, and pixels that explain none
//! are lost, unless their color is the color of the background that moved content came over or left
//! behind. So no change can hide.

use super::{Move, Span};
use crate::color::{squared_distance, MAX_SQUARED};
use crate::difference::{ANTI_ALIASED, DIFFERENT};
use crate::pixels::Pixels;

/// New or different in the later image.
pub const NEW: u8 = 1;
/// Lost from the earlier one.
pub const LOST: u8 = 2;
/// Parts of a label: the number of the move, whether the pixel equals its source, and whether
/// another pixel took the source.
const NUMBER: u8 = 63;
const MATCHED: u8 = 64;
const REPEATED: u8 = 128;

/// Background has so many pixels of one color in a row; fewer are a spot.
const FLAT: usize = 8;

/// An image and its size.
#[derive(Clone, Copy)]
pub struct SizedImage<'data> {
    /// The pixels of the image.
    pub pixels: Pixels<'data>,
    /// Pixels of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl SizedImage<'_> {
    fn has(&self, x: usize, y: usize) -> bool {
        x < self.width && y < self.height
    }
}

/// Two compared images.
pub struct MaskedPair<'data> {
    /// The earlier image.
    pub before: SizedImage<'data>,
    /// The later image.
    pub after: SizedImage<'data>,
    /// The mask of the union.
    pub mask: &'data [u8],
    /// Pixels of a row of the union.
    pub width: usize,
    /// The largest distance of colors that count as equal.
    pub threshold: f64,
}

impl MaskedPair<'_> {
    fn alike(&self, one: u32, two: u32, index: usize) -> bool {
        let limit = MAX_SQUARED * self.threshold * self.threshold;
        one == two || squared_distance(one, two, index) <= limit
    }

    /// Replace the number of each pixel's move by whether the pixel is new or lost.
    pub fn account(&self, moves: &[Move], labels: &mut [u8]) {
        let claims = self.claim_sources(moves, labels);
        let mut backgrounds = vec![Background::default()];
        backgrounds.extend(moves.iter().map(|each| self.find_background(each)));
        let edges = Edges::new(moves);
        for (y, row) in labels.chunks_exact_mut(self.width).enumerate() {
            let claims = &claims[y * self.width..][..self.width];
            let marks = &self.mask[y * self.width..][..self.width];
            for (x, label) in row.iter_mut().enumerate() {
                // Most pixels of most images stayed as they were.
                if *label | claims[x] | marks[x] == 0 {
                    continue;
                }
                if *label & !NUMBER == MATCHED && claims[x] != 0 {
                    *label = 0;
                    continue;
                }
                let pixel = Pixel { x, y, label: *label, claim: claims[x], mark: marks[x] };
                *label = match pixel.label & NUMBER {
                    0 => self.mark_left(&pixel, &backgrounds, &edges),
                    _ => self.mark_moved(&pixel, &backgrounds),
                };
            }
        }
    }

    /// Return the number of the move that took each pixel of the earlier image, 0 for none.
    fn claim_sources(&self, moves: &[Move], labels: &mut [u8]) -> Vec<u8> {
        let mut claims = vec![0; labels.len()];
        let mut rows = [Vec::new(), Vec::new()];
        for (number, each) in (1..).zip(moves) {
            let width = each.target.width();
            rows.iter_mut().for_each(|row| row.resize(width, 0));
            for y in each.target.top..each.target.bottom {
                let (left, top) = each.source(each.target.left, y);
                let [old, new] = &mut rows;
                self.before.pixels.convert_row(top, left, old, |pixel| pixel);
                self.after.pixels.convert_row(y, each.target.left, new, |pixel| pixel);
                let start = y * self.width + each.target.left;
                let claims = &mut claims[top * self.width + left..][..width];
                let labels = &mut labels[start..][..width];
                // Most rows of most moves are equal, and no other move took them.
                let is_free = |labels: &[u8], claims: &[u8]| {
                    labels.iter().fold(0, |all, label| all | (label ^ number)) == 0
                        && claims.iter().fold(0, |all, claim| all | claim) == 0
                };
                if old == new && is_free(labels, claims) {
                    labels.fill(number | MATCHED);
                    claims.fill(number);
                    continue;
                }
                for (at, (label, claim)) in labels.iter_mut().zip(claims).enumerate() {
                    if *label == number && self.alike(old[at], new[at], start + at) {
                        *label |= if *claim == 0 { MATCHED } else { MATCHED | REPEATED };
                        *claim = if *claim == 0 { number } else { *claim };
                    }
                }
            }
        }
        claims
    }

    fn find_background(&self, each: &Move) -> Background {
        let target = each.target;
        let (left, top) = each.source(target.left, target.top);
        let source =
            Span { left, top, right: left + target.width(), bottom: top + target.height() };
        // Where no color prevails, or all is beyond the image, the content itself has to tell.
        let own = || find_majority(&self.before, &[source]);
        let covered = without(target, source, &self.before);
        let revealed = without(source, target, &self.after);
        let color = |image, parts: &[Span]| find_majority(image, parts).or_else(own);
        let (covered, revealed) = (color(&self.before, &covered), color(&self.after, &revealed));
        let is_one = match (covered, revealed) {
            (Some(one), Some(two)) => self.alike(one, two, 0),
            _ => false,
        };
        Background { covered, revealed, is_one }
    }

    /// Return whether a pixel of an image is background, covered or revealed.
    ///
    /// Where something changed, both colors have to be the same, in more than a mere spot.
    fn is_background(
        &self,
        image: &SizedImage,
        found: Option<u32>,
        is_one: bool,
        &Pixel { x, y, mark, .. }: &Pixel,
    ) -> bool {
        let Some(found) = found else { return false };
        let is_alike =
            |at: &usize| self.alike(image.pixels.get(*at, y), found, y * self.width + *at);
        if mark != DIFFERENT || !is_one {
            return mark != DIFFERENT && is_alike(&x);
        }
        let left = (0..=x).rev().take(FLAT).take_while(is_alike).count();
        let right = (x + 1..image.width).take(FLAT).take_while(is_alike).count();
        left > 0 && left + right >= FLAT
    }

    /// Mark a pixel in a target.
    fn mark_moved(&self, pixel: &Pixel, backgrounds: &[Background]) -> u8 {
        let background = backgrounds[usize::from(pixel.label & NUMBER)];
        let matched = pixel.label & MATCHED != 0;
        // Anti-aliasing is known for both images in place only, so anti-aliasing excuses nothing
        // here.
        let differs = pixel.mark == DIFFERENT || pixel.mark == ANTI_ALIASED;
        let mut marks = 0;
        if differs || pixel.claim != 0 {
            let repeated = pixel.label & REPEATED != 0;
            let Background { revealed, is_one, .. } = background;
            if !matched || repeated && !self.is_background(&self.after, revealed, is_one, pixel) {
                marks |= NEW;
            }
        }
        let stayed = !matched && !differs;
        if pixel.claim == 0 && !stayed && self.before.has(pixel.x, pixel.y) {
            let Background { covered, is_one, .. } = background;
            if !self.is_background(&self.before, covered, is_one, pixel) {
                marks |= LOST;
            }
        }
        marks
    }

    /// Mark a pixel outside all targets.
    fn mark_left(&self, pixel: &Pixel, backgrounds: &[Background], edges: &Edges) -> u8 {
        let &Pixel { x, y, .. } = pixel;
        let in_before = self.before.has(x, y);
        if self.after.has(x, y) {
            let is_new = if pixel.claim != 0 {
                let Background { revealed, is_one, .. } = backgrounds[usize::from(pixel.claim)];
                !self.is_background(&self.after, revealed, is_one, pixel)
            } else {
                let grown =
                    !in_before && self.continues(&self.after, &self.before, pixel, edges.grown);
                pixel.mark == DIFFERENT && !grown
            };
            return if is_new { NEW } else { 0 };
        }
        let shrunk = || self.continues(&self.before, &self.after, pixel, edges.shrunk);
        if in_before && pixel.claim == 0 && !shrunk() {
            LOST
        } else {
            0
        }
    }

    /// Return whether a pixel of only one image continues the edge of the other.
    fn continues(
        &self,
        larger: &SizedImage,
        smaller: &SizedImage,
        pixel: &Pixel,
        (across, down): (bool, bool),
    ) -> bool {
        let &Pixel { x, y, .. } = pixel;
        let is_below = y >= smaller.height && x < smaller.width;
        let is_beside = x >= smaller.width && y < smaller.height;
        if !(is_below && down || is_beside && across) {
            return false;
        }
        let edge = smaller.pixels.get(x.min(smaller.width - 1), y.min(smaller.height - 1));
        self.alike(larger.pixels.get(x, y), edge, y * self.width + x)
    }
}

struct Pixel {
    x: usize,
    y: usize,
    label: u8,
    claim: u8,
    mark: u8,
}

/// Whether content moved to the right and down, so that the page grows, or back.
struct Edges {
    grown: (bool, bool),
    shrunk: (bool, bool),
}

impl Edges {
    fn new(moves: &[Move]) -> Self {
        let any = |test: &dyn Fn(&Move) -> bool| moves.iter().any(test);
        Self {
            grown: (any(&|each| each.dx > 0), any(&|each| each.dy > 0)),
            shrunk: (any(&|each| each.dx < 0), any(&|each| each.dy < 0)),
        }
    }
}

/// The background that moved content came over, and the background left behind.
#[derive(Clone, Copy, Default)]
struct Background {
    covered: Option<u32>,
    revealed: Option<u32>,
    /// Whether both are the same.
    is_one: bool,
}

/// Return the parts of a rectangle outside another of the same size, within an image.
fn without(span: Span, other: Span, image: &SizedImage) -> Vec<Span> {
    let Span { left, top, right, bottom } = span;
    let first = top.max(other.top).min(bottom);
    let last = bottom.min(other.bottom).max(first);
    let parts = [
        Span { bottom: first, ..span },
        Span { top: last, ..span },
        Span { left, top: first, right: right.min(other.left.max(left)), bottom: last },
        Span { left: left.max(other.right.min(right)), top: first, right, bottom: last },
    ];
    let within = |part: Span| Span {
        right: part.right.min(image.width),
        bottom: part.bottom.min(image.height),
        ..part
    };
    let parts = parts.into_iter().map(within);
    parts.filter(|part| part.left < part.right && part.top < part.bottom).collect()
}

/// Return the color of more than half of the pixels of some rectangles.
fn find_majority(image: &SizedImage, parts: &[Span]) -> Option<u32> {
    let (mut found, mut lead) = (0, 0usize);
    // A majority color is left over when each pixel is crossed out with one of another color.
    for_each_color(image, parts, |color| match (lead, color == found) {
        (0, _) => (found, lead) = (color, 1),
        (_, true) => lead += 1,
        (_, false) => lead -= 1,
    });
    let (mut count, mut total) = (0usize, 0usize);
    for_each_color(image, parts, |color| {
        total += 1;
        count += usize::from(color == found);
    });
    (2 * count > total).then_some(found)
}

fn for_each_color(image: &SizedImage, parts: &[Span], mut each: impl FnMut(u32)) {
    let mut row = Vec::new();
    for part in parts {
        row.resize(part.width(), 0);
        for y in part.top..part.bottom {
            image.pixels.convert_row(y, part.left, &mut row, |pixel| pixel);
            row.iter().for_each(|color| each(*color));
        }
    }
}
