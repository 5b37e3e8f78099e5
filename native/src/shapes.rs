//! The C interface to pieces of a difference, and to the outlines of an image.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use crate::alignment::FoundMove;
use crate::outline::{trace, Edge, Element};
use crate::regions::Rectangle;
use crate::rest::Rest;
use crate::{guard, slice_of, Box, Image};

/// Written in place of the number of pieces if they do not fit.
const TOO_MANY: u32 = u32::MAX;

/// A piece of the remaining difference after moved content is in its new place.
#[repr(C)]
pub struct FoundPiece {
    area: Box,
    pixels: u64,
    digest: [u64; 2],
    before: u32,
    after: u32,
    is_recolored: bool,
}

/// Write the pieces in which two aligned images differ, and their number.
///
/// # Safety
/// All pointers are valid, both masks are of the union, and `pieces` has room for `capacity`.
#[no_mangle]
pub unsafe extern "C" fn vr_find_pieces(
    before: *const Image,
    after: *const Image,
    rectangles: *const Rectangle,
    rectangle_count: usize,
    mask: *const u8,
    aligned: *const u8,
    moves: *const FoundMove,
    move_count: usize,
    pieces: *mut FoundPiece,
    capacity: u32,
    count: *mut u32,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (old, new) = unsafe { ((*before).pixels()?, (*after).pixels()?) };
        let (width, height) = (old.width().max(new.width()), old.height().max(new.height()));
        // SAFETY: as above.
        let (mask, aligned) = unsafe {
            (from_raw_parts(mask, width * height), from_raw_parts(aligned, width * height))
        };
        let moves: Vec<_> =
            unsafe { slice_of(moves, move_count) }.iter().map(|each| each.read()).collect();
        let rectangles = unsafe { slice_of(rectangles, rectangle_count) };
        let target = unsafe { from_raw_parts_mut(pieces, capacity as usize) };
        let count = unsafe { &mut *count };
        *count = TOO_MANY;
        let rest = Rest { before: old, after: new, mask, aligned, moves: &moves, width };
        let Some(found) = rest.find_pieces(rectangles) else { return Ok(()) };
        if found.len() > target.len() {
            return Ok(());
        }
        *count = found.len() as u32;
        for (target, each) in target.iter_mut().zip(found) {
            let (before, after) = each.recolored.unwrap_or_default();
            *target = FoundPiece {
                area: Box::from(each.extent),
                pixels: each.pixels as u64,
                digest: each.digest,
                before,
                after,
                is_recolored: each.recolored.is_some(),
            };
        }
        Ok(())
    })
}

/// Write the elements and the edges in rows of a settled image, and how many of both there are.
///
/// # Safety
/// All pointers are valid, and both arrays have room for `capacity`.
#[no_mangle]
pub unsafe extern "C" fn vr_outline(
    image: *const Image,
    top: u32,
    bottom: u32,
    elements: *mut Element,
    edges: *mut Edge,
    capacity: u32,
    counts: *mut u32,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let pixels = unsafe { (*image).pixels()? };
        let elements = unsafe { from_raw_parts_mut(elements, capacity as usize) };
        let edges = unsafe { from_raw_parts_mut(edges, capacity as usize) };
        let counts = unsafe { from_raw_parts_mut(counts, 2) };
        counts.fill(TOO_MANY);
        let Some((found, lines)) = trace(&pixels, top as usize..bottom as usize) else {
            return Ok(());
        };
        if found.len().max(lines.len()) <= capacity as usize {
            counts.copy_from_slice(&[found.len() as u32, lines.len() as u32]);
            elements[..found.len()].copy_from_slice(&found);
            edges[..lines.len()].copy_from_slice(&lines);
        }
        Ok(())
    })
}
