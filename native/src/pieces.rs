//! Connected pixels, by runs of a row: the same content makes the same groups at any place.

use std::collections::VecDeque;

use crate::boxes::{merge_overlapping, sorted, Extent};

/// Pixels with no larger distance belong together.
const GAP: usize = 6;
/// With more runs, or more groups, nothing is returned.
const MOST_RUNS: usize = 60_000;
/// See above.
pub const MOST_PIECES: usize = 1_000;

/// Columns `start..end` of a row; `group` leads to the first connected run.
struct Run {
    y: usize,
    start: usize,
    end: usize,
    group: usize,
}

/// Collects runs row by row, from the top.
#[derive(Default)]
pub struct Runs {
    all: Vec<Run>,
    /// Rows that the next row may touch: the first run of each, and the run after the last.
    recent: VecDeque<(usize, usize, usize)>,
}

impl Runs {
    /// Add the pixels of row `y` with value 1; return false once there are too many.
    pub fn add_row(&mut self, y: usize, flags: &[u8]) -> bool {
        let first = self.all.len();
        let mut x = 0;
        while let Some(start) = find(flags, x, |flag| flag == 1) {
            let end = flags[start..].iter().position(|flag| *flag != 1);
            x = end.map_or(flags.len(), |length| start + length);
            self.push(y, start, x);
        }
        let end = self.all.len();
        if end > MOST_RUNS {
            return false;
        }
        if end > first {
            self.connect_row(y, first, end);
        }
        true
    }

    /// Return disjoint boxes around connected runs, top to bottom; None if there are too many.
    pub fn boxes(mut self) -> Option<Vec<Extent>> {
        let mut found: Vec<Option<Extent>> = vec![None; self.all.len()];
        for index in 0..self.all.len() {
            let group = self.find(index);
            let run = &self.all[index];
            let own = Extent { left: run.start, top: run.y, right: run.end - 1, bottom: run.y };
            found[group] = Some(found[group].map_or(own, |all| all.enclose(own)));
        }
        let boxes: Vec<_> = found.into_iter().flatten().collect();
        (boxes.len() <= MOST_PIECES).then(|| sorted(merge_overlapping(boxes)))
    }

    fn push(&mut self, y: usize, start: usize, end: usize) {
        self.all.push(Run { y, start, end, group: self.all.len() });
    }

    fn connect_row(&mut self, y: usize, first: usize, end: usize) {
        while self.recent.front().is_some_and(|(above, ..)| y - above > GAP) {
            self.recent.pop_front();
        }
        self.recent.push_back((y, first, end));
        for at in 0..self.recent.len() {
            let (_, from, to) = self.recent[at];
            self.connect(first..end, from, to);
        }
    }

    /// Join runs of one row with the runs `from..to` of another, at most GAP away.
    fn connect(&mut self, own: std::ops::Range<usize>, mut from: usize, to: usize) {
        for index in own {
            let (start, end) = (self.all[index].start, self.all[index].end + GAP);
            while from < to && self.all[from].end + GAP < start {
                from += 1;
            }
            for other in (from..to).take_while(|other| *other < to) {
                if self.all[other].start > end {
                    break;
                }
                let (one, two) = (self.find(index), self.find(other));
                self.all[one.max(two)].group = one.min(two);
            }
        }
    }

    fn find(&mut self, mut index: usize) -> usize {
        while self.all[index].group != index {
            let next = self.all[self.all[index].group].group;
            self.all[index].group = next;
            index = next;
        }
        index
    }
}

/// Return the first wanted pixel from `x` on; most pixels are 0, eight at a time.
fn find(flags: &[u8], mut x: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    loop {
        while flags.len() - x >= 8 && flags[x..x + 8] == [0; 8] {
            x += 8;
        }
        let end = flags.len().min(x + 8);
        if let Some(at) = flags[x..end].iter().position(|flag| wanted(*flag)) {
            return Some(x + at);
        }
        if end == flags.len() {
            return None;
        }
        x = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes_of(rows: &[&str]) -> Vec<(usize, usize, usize, usize)> {
        let mut runs = Runs::default();
        for (y, row) in rows.iter().enumerate() {
            assert!(runs.add_row(
                y,
                &row.bytes().map(|letter| u8::from(letter == b'#')).collect::<Vec<_>>()
            ));
        }
        let boxes = runs.boxes().unwrap();
        boxes.iter().map(|each| (each.left, each.top, each.right, each.bottom)).collect()
    }

    #[test]
    fn pixels_within_the_gap_belong_together_and_others_do_not() {
        assert_eq!(boxes_of(&["#......#"]), [(0, 0, 7, 0)]);
        assert_eq!(boxes_of(&["#.......#"]), [(0, 0, 0, 0), (8, 0, 8, 0)]);
        let mut rows = vec!["#"; 1];
        rows.extend([".", ".", ".", ".", ".", "#"]);
        assert_eq!(boxes_of(&rows), [(0, 0, 0, 6)]);
        rows.insert(1, ".");
        assert_eq!(boxes_of(&rows), [(0, 0, 0, 0), (0, 7, 0, 7)]);
    }

    #[test]
    fn too_many_groups_are_none() {
        let mut runs = Runs::default();
        for y in (0..8 * 40).step_by(8) {
            assert!(runs.add_row(y, &(0..8 * 40).map(|x| u8::from(x % 8 == 0)).collect::<Vec<_>>()));
        }
        assert!(runs.boxes().is_none());
    }
}
