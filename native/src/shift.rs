//! Find whole rows that were inserted into an image or removed from it.

use crate::image::Scanlines;

/// One block of rows that only the taller image has, everything else being equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShift {
    /// The first such row in the taller image.
    pub at: usize,
    /// How many there are.
    pub count: usize,
    /// Whether the taller image is the later one.
    pub inserted: bool,
}

/// Return the rows that are the only difference, if there are such.
///
/// Both images must have the same width; all other rows must be equal pixel for pixel.
pub fn find_row_shift(before: &mut Scanlines, after: &mut Scanlines) -> Option<RowShift> {
    if before.width != after.width || before.height == after.height {
        return None;
    }
    before.unfilter_through(before.height - 1);
    after.unfilter_through(after.height - 1);
    let inserted = after.height > before.height;
    let (shorter, taller) = if inserted { (&*before, &*after) } else { (&*after, &*before) };
    let count = taller.height - shorter.height;
    let mut pixels = [vec![0; 4 * shorter.width], vec![0; 4 * shorter.width]];
    let mut equal = |low: usize, high: usize| {
        let [one, two] = &mut pixels;
        shorter.pixels(low, one);
        taller.pixels(high, two);
        one == two
    };
    // Counting greedily from the top suffices: repeated rows around the block only shift it.
    let head = (0..shorter.height).take_while(|y| equal(*y, *y)).count();
    let below = (head..shorter.height).rev();
    let tail = below.take_while(|y| equal(*y, *y + count)).count();
    (head + tail == shorter.height).then_some(RowShift { at: head, count, inserted })
}
