//! Group different pixels into a few rectangles for a person to inspect.

/// Pixels are grouped by tiles of this side first.
pub const TILE: usize = 16;
/// With more tiles, the side doubles.
const MOST_TILES: usize = 4096;
/// With more boxes, the side doubles.
pub const MOST_BOXES: usize = 50;

/// A rectangle of pixels, first and last ones included; empty where `left` is above `right`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Last column.
    pub right: usize,
    /// Last row.
    pub bottom: usize,
}

impl Extent {
    const EMPTY: Self = Self { left: usize::MAX, top: usize::MAX, right: 0, bottom: 0 };

    /// The columns `left` to `right` of row `y`.
    pub fn of_row(left: usize, right: usize, y: usize) -> Self {
        Self { left, top: y, right, bottom: y }
    }

    fn is_empty(&self) -> bool {
        self.left > self.right
    }

    /// Return the rectangle around both.
    pub fn enclose(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left <= other.right
            && other.left <= self.right
            && self.top <= other.bottom
            && other.top <= self.bottom
    }
}

/// The different pixels of each tile.
pub struct Grid {
    columns: usize,
    rows: usize,
    tiles: Vec<Extent>,
}

impl Grid {
    /// A grid for an image of the given number of pixels, without different ones.
    pub fn new(width: usize, height: usize) -> Self {
        let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
        Self { columns, rows, tiles: vec![Extent::EMPTY; columns * rows] }
    }

    /// Add different pixels of row `y` to a tile.
    pub fn add(&mut self, column: usize, y: usize, extent: Extent) {
        let tile = &mut self.tiles[y / TILE * self.columns + column];
        *tile = tile.enclose(extent);
    }

    /// Return disjoint boxes around all different pixels, top to bottom, at most so many.
    pub fn boxes(mut self, most: usize) -> Vec<Extent> {
        loop {
            let filled = self.tiles.iter().filter(|tile| !tile.is_empty()).count();
            if filled <= MOST_TILES {
                let boxes = merge_overlapping(self.fit_groups());
                if boxes.len() <= most {
                    return sorted(boxes);
                }
            }
            // The loop ends: one tile around everything makes one box.
            self = self.halve();
        }
    }

    fn halve(&self) -> Self {
        let (columns, rows) = (self.columns.div_ceil(2), self.rows.div_ceil(2));
        let mut tiles = vec![Extent::EMPTY; columns * rows];
        for (index, extent) in self.tiles.iter().enumerate() {
            let (x, y) = (index % self.columns / 2, index / self.columns / 2);
            tiles[y * columns + x] = tiles[y * columns + x].enclose(*extent);
        }
        Self { columns, rows, tiles }
    }

    /// Return a box for each group of tiles connected by sides or corners.
    fn fit_groups(&self) -> Vec<Extent> {
        let mut waiting: Vec<bool> = self.tiles.iter().map(|tile| !tile.is_empty()).collect();
        let mut boxes = Vec::new();
        for start in 0..self.tiles.len() {
            if waiting[start] {
                boxes.push(self.fit_box(self.group(start, &mut waiting)));
            }
        }
        boxes
    }

    /// Return the rectangle of tiles around a group, and take the group from the waiting ones.
    fn group(&self, start: usize, waiting: &mut [bool]) -> Extent {
        waiting[start] = false;
        let (mut found, mut around) = (vec![start], Extent::EMPTY);
        while let Some(index) = found.pop() {
            let (x, y) = (index % self.columns, index / self.columns);
            around = around.enclose(Extent::of_row(x, x, y));
            for near_y in y.saturating_sub(1)..(y + 2).min(self.rows) {
                for near_x in x.saturating_sub(1)..(x + 2).min(self.columns) {
                    let near = near_y * self.columns + near_x;
                    if std::mem::take(&mut waiting[near]) {
                        found.push(near);
                    }
                }
            }
        }
        around
    }

    /// Return the box around all different pixels in a rectangle of tiles.
    fn fit_box(&self, tiles: Extent) -> Extent {
        (tiles.top..=tiles.bottom)
            .flat_map(|y| &self.tiles[y * self.columns..][tiles.left..=tiles.right])
            .fold(Extent::EMPTY, |all, tile| all.enclose(*tile))
    }
}

/// Return disjoint boxes: one box replaces boxes that overlap.
pub fn merge_overlapping(boxes: Vec<Extent>) -> Vec<Extent> {
    // Groups never touch, but one may be inside the rectangle around another.
    let mut separate: Vec<Extent> = Vec::new();
    for mut merged in boxes {
        while let Some(at) = separate.iter().position(|other| merged.overlaps(other)) {
            merged = merged.enclose(separate.swap_remove(at));
        }
        separate.push(merged);
    }
    separate
}

/// Return the boxes from top to bottom.
pub fn sorted(mut boxes: Vec<Extent>) -> Vec<Extent> {
    boxes.sort_by_key(|each| (each.top, each.left));
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes_of(pixels: &[(usize, usize)], width: usize, height: usize) -> Vec<Extent> {
        let mut grid = Grid::new(width, height);
        for (x, y) in pixels {
            grid.add(x / TILE, *y, Extent::of_row(*x, *x, *y));
        }
        grid.boxes(MOST_BOXES)
    }

    #[test]
    fn distant_pixels_have_boxes_of_their_own_from_top_to_bottom() {
        let found = boxes_of(&[(3, 200), (250, 20), (251, 22)], 300, 300);
        let upper = Extent { left: 250, top: 20, right: 251, bottom: 22 };
        assert_eq!(found, [upper, Extent::of_row(3, 3, 200)]);
    }

    #[test]
    fn pixels_of_touching_tiles_share_a_box() {
        let around = Extent { left: 15, top: 15, right: 16, bottom: 16 };
        assert_eq!(boxes_of(&[(15, 15), (16, 16)], 40, 40), [around]);
    }

    #[test]
    fn many_scattered_pixels_make_few_disjoint_boxes_around_all_of_them() {
        let pixels: Vec<_> = (0..40_000).map(|at| (at % 200 * 40, at / 200 * 40)).collect();
        let found = boxes_of(&pixels, 8000, 8000);
        assert!((1..=MOST_BOXES).contains(&found.len()));
        for (x, y) in pixels {
            let around = |each: &&Extent| {
                (each.left..=each.right).contains(&x) && (each.top..=each.bottom).contains(&y)
            };
            assert_eq!(found.iter().filter(around).count(), 1, "{x},{y}");
        }
    }

    #[test]
    fn a_group_within_the_box_of_another_belongs_to_it() {
        let frame = (0..200).flat_map(|at| [(at, 0), (at, 199), (0, at), (199, at)]);
        let pixels: Vec<_> = frame.chain([(100, 100)]).collect();
        let around = Extent { left: 0, top: 0, right: 199, bottom: 199 };
        assert_eq!(boxes_of(&pixels, 200, 200), [around]);
    }
}
