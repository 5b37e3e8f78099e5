//! Score pixels by whether a displacement explains them.

use super::anchors::Fingerprints;
use super::Span;

/// An unexplained pixel weighs more than an explained one.
const MISMATCH: i64 = -2;

/// Columns counted at once.
pub const BLOCK: usize = 16;

/// Rows whose counts fit a byte.
const MOST_LANE_ROWS: usize = 255;

/// Both images as fingerprints, their differences, and the moves found so far.
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
    /// Explained pixels where something changed, at the place or at the source.
    pub gains: usize,
    /// Pixels without an explanation.
    pub misses: usize,
}

impl Score {
    /// Return the gains minus the cost of the misses.
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

    /// Return the part of a row with a source within the earlier image; the part may be empty.
    fn limit(&self, by: Displacement, y: usize, left: usize, right: usize) -> (usize, usize) {
        let row = y as isize - by.dy;
        if row < 0 || row >= self.before.height as isize {
            return (left, left);
        }
        let start = (left as isize).max(by.dx);
        let end = (right as isize).min(self.before.width as isize + by.dx);
        if start >= end {
            (left, left)
        } else {
            (start as usize, end as usize)
        }
    }

    /// Score a row of an area by blocks of columns.
    pub fn add_row(&self, by: Displacement, y: usize, area: Span, blocks: &mut [Lanes]) {
        let (start, end) = self.limit(by, y, area.left, area.right);
        let labels = &self.labels[y * self.width..];
        let marks = &self.mask[y * self.width..];
        for (left, lanes) in (area.left..).step_by(BLOCK).zip(blocks) {
            let right = (left + BLOCK).min(area.right);
            if start <= left && left + BLOCK <= end {
                let row = y.wrapping_add_signed(-by.dy);
                let from = left.wrapping_add_signed(-by.dx);
                lanes.add::<BLOCK>(
                    &self.after.row(y)[left..],
                    &self.before.row(row)[from..],
                    &marks[left..],
                    &self.mask[row * self.width + from..],
                    &labels[left..],
                );
                continue;
            }
            for x in left..right {
                let Score { gains, misses } = self.score(by, y, x, x + 1);
                lanes.gains[x - left] += gains as u8;
                lanes.misses[x - left] += misses as u8;
            }
        }
    }

    /// Score each column of an area.
    pub fn score_columns(&self, by: Displacement, area: Span) -> Vec<Score> {
        let blocks = area.width().div_ceil(BLOCK);
        let mut scores = vec![Score::default(); area.width()];
        for top in (area.top..area.bottom).step_by(MOST_LANE_ROWS) {
            let mut lanes = vec![Lanes::default(); blocks];
            for y in top..(top + MOST_LANE_ROWS).min(area.bottom) {
                self.add_row(by, y, area, &mut lanes);
            }
            for (x, score) in scores.iter_mut().enumerate() {
                let Lanes { gains, misses } = &lanes[x / BLOCK];
                score.add(usize::from(gains[x % BLOCK]), usize::from(misses[x % BLOCK]));
            }
        }
        scores
    }

    /// Return whether any pixel of a row gains, or None if a pixel is not explained.
    ///
    /// Pixels in only one image, at the place or at the source, gain as well.
    pub fn gain_of_row(
        &self,
        by: Displacement,
        y: usize,
        left: usize,
        right: usize,
    ) -> Option<bool> {
        let score = self.score(by, y, left, right);
        if score.misses > 0 || score.gains > 0 {
            return (score.misses == 0).then_some(true);
        }
        Some((left..right).any(|x| self.score_with_bonus(by, x, y) > 0))
    }

    /// Score a pixel; pixels in only one image, at the place or at the source, gain as well.
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

    /// Give the free pixels of a rectangle to a move.
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

fn count(new: &[u8], old: &[u8], marks: &[u8], old_marks: &[u8], labels: &[u8]) -> (usize, usize) {
    let mut total = (0, 0);
    let parts = new.chunks(BLOCK).zip(old.chunks(BLOCK));
    let changes = marks.chunks(BLOCK).zip(old_marks.chunks(BLOCK));
    for (((new, old), (marks, old_marks)), labels) in parts.zip(changes).zip(labels.chunks(BLOCK)) {
        let mut lanes = Lanes::default();
        match new.len() {
            BLOCK => lanes.add::<BLOCK>(new, old, marks, old_marks, labels),
            length => (0..length).for_each(|at| {
                let one = at..at + 1;
                lanes.add::<1>(
                    &new[one.clone()],
                    &old[one.clone()],
                    &marks[one.clone()],
                    &old_marks[one.clone()],
                    &labels[one],
                );
            }),
        }
        let (gains, misses) = lanes.sum();
        total = (total.0 + gains, total.1 + misses);
    }
    total
}

/// Numbers of pixels in a block of columns.
#[derive(Clone, Copy, Default)]
pub struct Lanes {
    gains: [u8; BLOCK],
    misses: [u8; BLOCK],
}

impl Lanes {
    /// Add the first pixels of a row.
    #[inline(always)]
    fn add<const COUNT: usize>(
        &mut self,
        new: &[u8],
        old: &[u8],
        marks: &[u8],
        old_marks: &[u8],
        labels: &[u8],
    ) {
        let (new, old) = (&new[..COUNT], &old[..COUNT]);
        let (marks, old_marks, labels) = (&marks[..COUNT], &old_marks[..COUNT], &labels[..COUNT]);
        for at in 0..COUNT {
            let (equal, free) = (u8::from(new[at] == old[at]), u8::from(labels[at] == 0));
            let changed = u8::from(marks[at] != 0) & u8::from(old_marks[at] != 0);
            self.gains[at] += equal & free & changed;
            self.misses[at] += (1 - equal) & free;
        }
    }

    fn sum(&self) -> (usize, usize) {
        let sum = |counts: &[u8]| counts.iter().map(|count| usize::from(*count)).sum();
        (sum(&self.gains), sum(&self.misses))
    }

    /// Return the gains minus the cost of the misses.
    pub fn total(&self) -> i64 {
        let (gains, misses) = self.sum();
        Score { gains, misses }.total()
    }
}
