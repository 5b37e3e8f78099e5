//! The C interface to connected pieces of a mask, and to the outlines of an image.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use crate::outline::{trace, Edge, Element};
use crate::pieces::Runs;
use crate::regions::{Ignored, Rectangle};
use crate::{guard, slice_of, Box, Image};

/// What is written where there is more than fits.
const TOO_MANY: u32 = u32::MAX;
const DIFFERENT: u8 = 1;

/// Write boxes around connected different pixels outside rectangles, and how many there are.
///
/// # Safety
/// All pointers are valid, `mask` has `width` by `height` bytes, and `boxes` room for `capacity`.
#[no_mangle]
pub unsafe extern "C" fn vr_find_pieces(
    mask: *const u8,
    width: u32,
    height: u32,
    rectangles: *const Rectangle,
    rectangle_count: usize,
    boxes: *mut Box,
    capacity: u32,
    count: *mut u32,
) -> i32 {
    guard(|| {
        let (width, height) = (width as usize, height as usize);
        // SAFETY: the caller's promise.
        let mask = unsafe { from_raw_parts(mask, width * height) };
        let rectangles = unsafe { slice_of(rectangles, rectangle_count) };
        let target = unsafe { from_raw_parts_mut(boxes, capacity as usize) };
        let count = unsafe { &mut *count };
        *count = TOO_MANY;
        let mut ignored = Ignored::new(rectangles, width);
        let mut runs = Runs::default();
        for (y, row) in mask.chunks_exact(width).enumerate() {
            let is_different = |mark: &u8| *mark == DIFFERENT;
            let fits = match ignored.row(y) {
                None if !row.contains(&DIFFERENT) => true,
                None => runs.add_row(y, row.iter().map(is_different)),
                Some(flags) => {
                    let counted = |(mark, skip): (&u8, &bool)| *mark == DIFFERENT && !skip;
                    runs.add_row(y, row.iter().zip(flags).map(counted))
                }
            };
            if !fits {
                return Ok(());
            }
        }
        let Some(found) = runs.boxes() else { return Ok(()) };
        if found.len() > target.len() {
            return Ok(());
        }
        *count = found.len() as u32;
        for (target, each) in target.iter_mut().zip(found) {
            let (width, height) = (each.right + 1 - each.left, each.bottom + 1 - each.top);
            let [x, y, width, height] = [each.left, each.top, width, height].map(|n| n as u32);
            *target = Box { x, y, width, height };
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
