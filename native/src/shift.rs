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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Format, GRAY};

    /// The rows that are inserted into a column of gray pixels.
    fn shift_of(before: &[u8], after: &[u8]) -> Option<RowShift> {
        let format = Format::new(8, GRAY, &[], &[]);
        let [mut old, mut new] =
            [before, after].map(|rows| rows.iter().flat_map(|gray| [0, *gray]).collect::<Vec<_>>());
        let mut lines = Scanlines::new(format.clone(), (1, before.len()), &mut old, 0).unwrap();
        let mut others = Scanlines::new(format, (1, after.len()), &mut new, 0).unwrap();
        find_row_shift(&mut lines, &mut others)
    }

    #[test]
    fn one_block_of_rows_is_found_wherever_it_is() {
        for at in 0..=4 {
            let mut after = vec![1, 2, 3, 4];
            after.splice(at..at, [8, 9]);
            let inserted = Some(RowShift { at, count: 2, inserted: true });
            assert_eq!(shift_of(&[1, 2, 3, 4], &after), inserted);
            let removed = Some(RowShift { at, count: 2, inserted: false });
            assert_eq!(shift_of(&after, &[1, 2, 3, 4]), removed);
        }
    }

    #[test]
    fn any_other_difference_is_no_shift() {
        assert_eq!(shift_of(&[1, 2, 3], &[1, 9, 2, 4]), None);
        assert_eq!(shift_of(&[1, 2, 3], &[9, 1, 2, 9, 3]), None);
        assert_eq!(shift_of(&[1, 2], &[1, 2]), None);
    }
}
