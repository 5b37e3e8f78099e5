//! Find moved content: rectangles of the later image that the earlier image has elsewhere.

use super::anchors::{find_votes, Vote, CENTER, WINDOW};
use super::rectangles::Tiles;
use super::scores::{Displacement, Field};
use super::{Move, Span};
use crate::difference::DIFFERENT;

/// Numbers of moves have six bits.
pub const MOST_MOVES: usize = 63;
const LEAST_VOTES: usize = 2;
/// Pixels that a move explains at least.
const LEAST_GAIN: usize = 40;
/// Images that differ much require more pixels: one part of so many.
const GAIN_SHARE: usize = 200;
const MOST_LEAST_GAIN: usize = 1000;
/// Displacements to try after others explained nothing.
const MOST_FRUITLESS: usize = 4;
/// Votes weigh less for a longer displacement.
const NEAR: usize = 128;
const WEIGHT: usize = 1 << 20;
/// Of one displacement.
const MOST_RECTANGLES: usize = 8;
const MARGIN: usize = 32;
/// Hostile images are not searched longer: pixels to score for each of the union, and at least.
const EFFORT: usize = 6;
const LEAST_EFFORT: usize = 1 << 20;
/// Parts of lines are no taller, and no farther from each other.
const TALLEST_LINE: usize = 40;
const LINE_GAP: usize = 24;
const LEAST_REFLOWED: usize = 3;

/// Return moves, and write a number to each label of the field: of its move, from 1, or else 0.
pub fn find_moves(field: &mut Field) -> Vec<Move> {
    let mut votes = find_votes(&field.before, &field.after, field.mask, field.width);
    votes.sort_unstable_by_key(|vote| (vote.dx.abs() + vote.dy.abs(), vote.dy, vote.dx));
    let least = least_gain(field) as i64;
    let mut effort = LEAST_EFFORT + EFFORT * field.after.width * field.after.height;
    let (mut moves, mut fruitless) = (Vec::new(), 0);
    while effort > 0 && moves.len() < MOST_MOVES && fruitless < MOST_FRUITLESS {
        let Some(by) = choose(&votes) else { break };
        let is_own = |vote: &&Vote| (vote.dx, vote.dy) == (by.dx, by.dy);
        let area = surround(votes.iter().filter(is_own), field);
        let count = moves.len();
        let found = take_rectangles(field, by, area, least, &mut moves);
        effort = effort.saturating_sub(area.width() * area.height() + found);
        fruitless = if moves.len() > count { 0 } else { fruitless + 1 };
        votes.retain(|vote| {
            let label = field.labels[(vote.y + CENTER) * field.width + vote.x + CENTER];
            !is_own(&vote) && label == 0
        });
    }
    drop_reflowed(moves, field.labels)
}

fn least_gain(field: &Field) -> usize {
    let width = field.before.width.min(field.after.width);
    let height = field.before.height.min(field.after.height);
    let rows = field.mask.chunks(field.width).take(height);
    let count = |row: &[u8]| row[..width].iter().filter(|mark| **mark == DIFFERENT).count();
    (rows.map(count).sum::<usize>() / GAIN_SHARE).clamp(LEAST_GAIN, MOST_LEAST_GAIN)
}

/// Return the displacement with most votes for its length, of equal ones the shortest.
fn choose(votes: &[Vote]) -> Option<Displacement> {
    let (mut best, mut found) = (0, None);
    for group in votes.chunk_by(|one, two| (one.dx, one.dy) == (two.dx, two.dy)) {
        let Vote { dx, dy, .. } = group[0];
        let length = dx.unsigned_abs() + dy.unsigned_abs();
        let weight = group.len() * WEIGHT / (length + NEAR);
        if group.len() >= LEAST_VOTES && (found.is_none() || weight > best) {
            (best, found) = (weight, Some(Displacement { dx, dy }));
        }
    }
    found
}

fn surround<'a>(votes: impl Iterator<Item = &'a Vote>, field: &Field) -> Span {
    let mut span = Span { left: usize::MAX, top: usize::MAX, right: 0, bottom: 0 };
    for vote in votes {
        span.left = span.left.min(vote.x);
        span.top = span.top.min(vote.y);
        span.right = span.right.max(vote.x);
        span.bottom = span.bottom.max(vote.y);
    }
    Span {
        left: span.left.saturating_sub(MARGIN),
        top: span.top.saturating_sub(MARGIN),
        right: (span.right + WINDOW + MARGIN).min(field.after.width),
        bottom: (span.bottom + WINDOW + MARGIN).min(field.after.height),
    }
}

/// Add the rectangles of an area explained by a displacement; return their size in all.
fn take_rectangles(
    field: &mut Field,
    by: Displacement,
    area: Span,
    least: i64,
    moves: &mut Vec<Move>,
) -> usize {
    let mut effort = 0;
    let mut tiles = Tiles::new(field, by, area);
    for _ in 0..MOST_RECTANGLES {
        if moves.len() == MOST_MOVES {
            break;
        }
        let Some(best) = tiles.take_best(least) else { break };
        let span = tiles.refine(field, by, best);
        tiles.block(span);
        effort += span.width() * span.height();
        if span.width().min(span.height()) < WINDOW {
            continue;
        }
        moves.push(Move { target: span, dx: by.dx, dy: by.dy });
        field.take(span, moves.len() as u8);
    }
    effort
}

/// Leave out lines of text with new line breaks: their parts went everywhere.
fn drop_reflowed(moves: Vec<Move>, labels: &mut [u8]) -> Vec<Move> {
    let groups = group_near(&moves);
    let count = moves.len();
    let (mut kept, mut numbers) = (Vec::new(), [0; MOST_MOVES + 1]);
    for (at, each) in moves.into_iter().enumerate() {
        if groups.iter().filter(|group| **group == groups[at]).count() < LEAST_REFLOWED {
            kept.push(each);
            numbers[at + 1] = kept.len() as u8;
        }
    }
    if kept.len() < count {
        labels.iter_mut().for_each(|label| *label = numbers[usize::from(*label)]);
    }
    kept
}

/// Return for each move the number of its group: moves of connected parts of lines.
fn group_near(moves: &[Move]) -> Vec<usize> {
    let mut groups: Vec<_> = (0..moves.len()).collect();
    for one in 0..moves.len() {
        for two in 0..one {
            if are_of_one_text(&moves[one], &moves[two]) {
                let (old, new) = (groups[one], groups[two]);
                groups
                    .iter_mut()
                    .for_each(|group| *group = if *group == old { new } else { *group });
            }
        }
    }
    groups
}

fn are_of_one_text(one: &Move, two: &Move) -> bool {
    let (a, b) = (one.target, two.target);
    a.height().max(b.height()) <= TALLEST_LINE
        && one.dx != two.dx
        && a.left <= b.right + LINE_GAP
        && b.left <= a.right + LINE_GAP
        && a.top <= b.bottom + LINE_GAP
        && b.top <= a.bottom + LINE_GAP
}
