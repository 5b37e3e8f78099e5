//! Score pixels by whether a displacement explains them.

use super::anchors::Fingerprints;
use super::Span;

/// A pixel that the displacement does not explain weighs more than one that it does.
const MISMATCH: i64 = -2;

/// Both images as fingerprints, where they differ, and what was found to have moved.
pub struct Field<'a> {
    /// The earlier image.
    pub before: Fingerprints,
    /// The later image.
    pub after: Fingerprints,
    /// The mask of the union.
    pub mask: &'a [u8],
    /// Pixels of a row of the union.
    pub width: usize,
    /// The number of a move for each pixel of the union, 0 for none.
    pub labels: &'a mut [u8],
}

/// How far content may have moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Displacement {
    /// To the right.
    pub dx: isize,
    /// Down.
    pub dy: isize,
}

/// Numbers of pixels.
#[derive(Clone, Copy, Default)]
pub struct Score {
    /// Explained ones where something changed, both there and where they were.
    pub gains: usize,
    /// Those that are not explained.
    pub misses: usize,
}

impl Score {
    /// Return the gains less what the others cost.
    pub fn total(&self) -> i64 {
        self.gains as i64 + MISMATCH * self.misses as i64
    }

    fn add(&mut self, gains: usize, misses: usize) {
        self.gains += gains;
        self.misses += misses;
    }
}

impl Field<'_> {
    /// Score pixels `left..right` of row `y` of the later image.
    #[inline]
    pub fn score(&self, by: Displacement, y: usize, left: usize, right: usize) -> Score {
        let labels = &self.labels[y * self.width..];
        let free = |from: usize, to: usize| count_zeros(&labels[from..to]);
        let mut score = Score::default();
        let (start, end) = self.limit(by, y, left, right);
        if start >= end {
            score.add(0, free(left, right));
            return score;
        }
        let from = start.wrapping_add_signed(-by.dx)..end.wrapping_add_signed(-by.dx);
        let row = y.wrapping_add_signed(-by.dy);
        let (gains, misses) = count(
            &self.after.row(y)[start..end],
            &self.before.row(row)[from.clone()],
            &self.mask[y * self.width..][start..end],
            &self.mask[row * self.width..][from],
            &labels[start..end],
        );
        score.add(gains, misses + free(left, start) + free(end, right));
        score
    }

    /// Return the part of a row whose source is within the earlier image; it may be empty.
    fn limit(&self, by: Displacement, y: usize, left: usize, right: usize) -> (usize, usize) {
        let row = y as isize - by.dy;
        if row < 0 || row >= self.before.height as isize {
            return (left, left);
        }
        let start = (left as isize).max(by.dx);
        let end = (right as isize).min(self.before.width as isize + by.dx);
        if start >= end { (left, left) } else { (start as usize, end as usize) }
    }

    /// Score a pixel; those that only one image has, there or where they were, gain as well.
    #[inline]
    pub fn score_with_bonus(&self, by: Displacement, x: usize, y: usize) -> i64 {
        let at = y * self.width + x;
        if self.labels[at] != 0 {
            return 0;
        }
        let (old_x, old_y) = (x as isize - by.dx, y as isize - by.dy);
        let (width, height) = (self.before.width as isize, self.before.height as isize);
        if old_x < 0 || old_y < 0 || old_x >= width || old_y >= height {
            return MISMATCH;
        }
        let (old_x, old_y) = (old_x as usize, old_y as usize);
        if self.after.row(y)[x] != self.before.row(old_y)[old_x] {
            return MISMATCH;
        }
        let changed = self.mask[at] != 0 && self.mask[old_y * self.width + old_x] != 0;
        let beyond = x >= self.before.width
            || y >= self.before.height
            || old_x >= self.after.width
            || old_y >= self.after.height;
        i64::from(changed || beyond)
    }

    /// Give the pixels of a rectangle that are free to a move.
    pub fn take(&mut self, span: Span, number: u8) {
        for y in span.top..span.bottom {
            for label in &mut self.labels[y * self.width..][span.left..span.right] {
                *label = if *label == 0 { number } else { *label };
            }
        }
    }
}

fn count_zeros(labels: &[u8]) -> usize {
    labels.iter().filter(|label| **label == 0).count()
}

/// Pixels whose numbers fit a byte.
const PART: usize = 16;

#[inline]
fn count(new: &[u8], old: &[u8], marks: &[u8], old_marks: &[u8], labels: &[u8]) -> (usize, usize) {
    let (mut gains, mut misses) = (0, 0);
    let parts = new.chunks(PART).zip(old.chunks(PART));
    let changes = marks.chunks(PART).zip(old_marks.chunks(PART));
    for (((new, old), (marks, old_marks)), labels) in parts.zip(changes).zip(labels.chunks(PART)) {
        let (mut gained, mut missed) = (0u8, 0u8);
        for at in 0..new.len().min(old.len()).min(marks.len()) {
            let (equal, free) = (u8::from(new[at] == old[at]), u8::from(labels[at] == 0));
            let changed = u8::from(marks[at] != 0) & u8::from(old_marks[at] != 0);
            gained += equal & free & changed;
            missed += (1 - equal) & free;
        }
        gains += usize::from(gained);
        misses += usize::from(missed);
    }
    (gains, misses)
}
