//! Find small textured windows in both images, to learn how far content moved.

use super::Span;
use crate::pixels::Pixels;

/// The side of a window.
pub const WINDOW: usize = 8;
/// Place of the window's corner within the window; the pixel there must be a corner of the image,
/// too.
pub const CENTER: usize = 3;
/// With more windows, only some are compared: the same ones in both images.
const MOST_ANCHORS: usize = 1 << 14;
/// Of windows repeated more often, only the nearest is likely to be the same.
const FEW_REPEATED: usize = 4;
/// More repetitions say little about how far the content moved.
const MOST_REPEATED: usize = 32;

/// Pixels compared together.
const PART: usize = 16;
const FINGERPRINT_FACTOR: u32 = 0x9e37_79b1;
const ROW_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const KEY_FACTOR: u64 = 0xc2b2_ae3d_27d4_eb4f;

/// A byte for each pixel: equal colors have equal ones, and others mostly have not.
pub struct Fingerprints {
    /// Pixels of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    bytes: Vec<u8>,
}

impl Fingerprints {
    /// Read a part of an image.
    pub fn new(image: &Pixels, span: Span) -> Self {
        let (width, height) = (span.width(), span.height());
        let mut bytes = vec![0; width * height];
        for (y, row) in (span.top..).zip(bytes.chunks_exact_mut(width)) {
            let convert = |pixel: u32| (pixel.wrapping_mul(FINGERPRINT_FACTOR) >> 24) as u8;
            image.convert_row(y, span.left, row, convert);
        }
        Self { width, height, bytes }
    }

    /// Return row `y`.
    #[inline]
    pub fn row(&self, y: usize) -> &[u8] {
        &self.bytes[y * self.width..(y + 1) * self.width]
    }

    /// Return the eight bytes from (x, y) on, the first one lowest.
    #[inline]
    fn word(&self, x: usize, y: usize) -> u64 {
        let mut word = [0; WINDOW];
        word.copy_from_slice(&self.row(y)[x..x + WINDOW]);
        u64::from_le_bytes(word)
    }

    fn key(&self, x: usize, y: usize) -> u64 {
        (y..y + WINDOW).fold(0, |key, row| {
            let mixed = (key ^ self.word(x, row)).wrapping_mul(KEY_FACTOR);
            mixed ^ mixed >> 32
        })
    }
}

/// A window, and a hash of its middle row for selecting some of many windows.
#[derive(Clone, Copy)]
struct Corner {
    x: u32,
    y: u32,
    selection: u32,
}

#[derive(Clone, Copy)]
struct Anchor {
    key: u64,
    x: u32,
    y: u32,
}

/// A window of the later image, and the distance of its move.
#[derive(Clone, Copy, Debug)]
pub struct Vote {
    /// First column of the window.
    pub x: usize,
    /// First row of the window.
    pub y: usize,
    /// Distance of the move to the right.
    pub dx: isize,
    /// Distance of the move down.
    pub dy: isize,
}

/// Return a vote for each window of the later image that is elsewhere in the earlier image.
///
/// Only windows around a differing pixel count; `mask` has rows of `width`.
pub fn find_votes(
    before: &Fingerprints,
    after: &Fingerprints,
    mask: &[u8],
    width: usize,
) -> Vec<Vote> {
    let (old, old_level) = find_corners(before, mask, width);
    let (new, level) = find_corners(after, mask, width);
    let level = level.max(old_level);
    let (old, new) = (select(before, &old, level), select(after, &new, level));
    match_anchors(&old, &new)
}

/// Return windows around a differing pixel unlike the pixels to its left and above.
///
/// Returned are the windows whose selection has as many zeros at the end as the returned level.
fn find_corners(image: &Fingerprints, mask: &[u8], width: usize) -> (Vec<Corner>, u32) {
    let (mut found, mut level) = (Vec::new(), 0);
    if image.height < WINDOW || image.width < WINDOW {
        return (found, level);
    }
    for y in 0..image.height + 1 - WINDOW {
        let center = y + CENTER;
        let marks = &mask[center * width..][..image.width];
        if crate::summary::is_blank(marks) {
            continue;
        }
        let (row, above) = (image.row(center), image.row(center - 1));
        let end = image.width - WINDOW + CENTER + 1;
        for start in (CENTER..end).step_by(PART) {
            let part = start..(start + PART).min(end);
            let left = &row[part.start - 1..part.end - 1];
            let flags =
                flag_corners(&row[part.clone()], left, &above[part.clone()], &marks[part.clone()]);
            if flags == [0; PART] {
                continue;
            }
            for at in part.filter(|at| flags[at - start] != 0) {
                let x = at - CENTER;
                let selection = (image.word(x, center).wrapping_mul(ROW_FACTOR) >> 40) as u32;
                if is_selected(selection, level) {
                    found.push(Corner { x: x as u32, y: y as u32, selection });
                }
            }
        }
        while found.len() > MOST_ANCHORS {
            level += 1;
            found.retain(|corner| is_selected(corner.selection, level));
        }
    }
    (found, level)
}

/// Return 1 for each marked pixel of a part that differs from the pixels to its left and above.
#[inline(always)]
fn flag_corners(row: &[u8], left: &[u8], above: &[u8], marks: &[u8]) -> [u8; PART] {
    let mut flags = [0; PART];
    let others = left.iter().zip(above).zip(marks);
    for ((flag, pixel), ((left, above), mark)) in flags.iter_mut().zip(row).zip(others) {
        *flag = u8::from(pixel != left) & u8::from(pixel != above) & u8::from(*mark != 0);
    }
    flags
}

fn is_selected(selection: u32, level: u32) -> bool {
    selection & ((1 << level) - 1) == 0
}

fn select(image: &Fingerprints, corners: &[Corner], level: u32) -> Vec<Anchor> {
    let chosen = corners.iter().filter(|corner| is_selected(corner.selection, level));
    let mut anchors: Vec<_> = chosen
        .map(|&Corner { x, y, .. }| Anchor { key: image.key(x as usize, y as usize), x, y })
        .collect();
    anchors.sort_unstable_by_key(|anchor| (anchor.key, anchor.y, anchor.x));
    anchors
}

/// Pair windows with the same key: all of them, of many the nearest one, of too many none.
fn match_anchors(before: &[Anchor], after: &[Anchor]) -> Vec<Vote> {
    let mut votes = Vec::new();
    let mut rest = before;
    for group in after.chunk_by(|one, two| one.key == two.key) {
        let key = group[0].key;
        rest = &rest[rest.partition_point(|anchor| anchor.key < key)..];
        let old = &rest[..rest.partition_point(|anchor| anchor.key == key)];
        if old.is_empty() || group.len().max(old.len()) > MOST_REPEATED {
            continue;
        }
        for anchor in group {
            if old.len() <= FEW_REPEATED {
                votes.extend(old.iter().map(|from| vote(from, anchor)));
            } else {
                let away = |from: &&Anchor| from.x.abs_diff(anchor.x) + from.y.abs_diff(anchor.y);
                votes.extend(old.iter().min_by_key(away).map(|from| vote(from, anchor)));
            }
        }
    }
    votes.retain(|vote| (vote.dx, vote.dy) != (0, 0));
    votes
}

fn vote(from: &Anchor, to: &Anchor) -> Vote {
    Vote {
        x: to.x as usize,
        y: to.y as usize,
        dx: to.x as isize - from.x as isize,
        dy: to.y as isize - from.y as isize,
    }
}
