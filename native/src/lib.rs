//! The comparison of inflated PNG images for Visual Review, behind a C interface.
//!
//! Callers inflate; this library unfilters, compares, counts and draws. The library keeps nothing
//! between calls, and reads and writes only the given buffers.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice::{from_raw_parts, from_raw_parts_mut};

mod alignment;
mod antialiasing;
mod area;
mod boxes;
mod change_features;
mod color;
mod difference;
mod drawing;
mod faint;
mod faint_pair;
mod faint_runs;
mod faint_strokes;
mod faint_tiles;
mod features;
mod flatness;
mod image;
mod marking;
mod measuring;
mod outline;
mod palette;
mod pieces;
mod pixels;
mod regions;
mod rest;
mod samples;
#[cfg(target_arch = "x86_64")]
mod samples_x86;
mod shapes;
mod sketch;
mod summary;
mod unfilter;
#[cfg(target_arch = "x86_64")]
mod unfilter_x86;
mod window;

use boxes::{Extent, MOST_BOXES};
use difference::Threshold;
use image::{read_interlaced, ReadError, Scanlines};
use pixels::Pixels;
use regions::Rectangle;
use samples::Format;
use summary::{summarize, Counts};

/// Changes with every change of this interface, so that no other library is used by mistake.
const ABI_VERSION: u32 = 4;

const OK: i32 = 0;
const UNREADABLE: i32 = 1;
const WRONG_LENGTH: i32 = 2;
const PANICKED: i32 = 3;

/// An inflated image. The first `unfiltered` rows of `data` are unfiltered already.
#[repr(C)]
pub struct Image {
    data: *mut u8,
    length: usize,
    palette: *const u8,
    palette_length: usize,
    transparency: *const u8,
    transparency_length: usize,
    width: u32,
    height: u32,
    unfiltered: u32,
    depth: u8,
    color: u8,
}

/// A box around different pixels.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Box {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

impl From<Extent> for Box {
    fn from(each: Extent) -> Self {
        let (width, height) = (each.right + 1 - each.left, each.bottom + 1 - each.top);
        let [x, y, width, height] = [each.left, each.top, width, height].map(|n| n as u32);
        Self { x, y, width, height }
    }
}

/// Counts and boxes of a pair of images.
#[repr(C)]
pub struct PairResult {
    counts: Counts,
    box_count: u32,
    boxes: [Box; MOST_BOXES],
}

/// Return the version of this interface.
#[no_mangle]
pub extern "C" fn vr_abi_version() -> u32 {
    ABI_VERSION
}

/// Convert `count` rows from `top` on to RGBA; rows have to be read in order.
///
/// # Safety
/// `image` describes valid buffers, and `pixels` has room for `count` rows.
#[no_mangle]
pub unsafe extern "C" fn vr_read_rows(
    image: *mut Image,
    top: u32,
    count: u32,
    pixels: *mut u8,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (image, width) = unsafe { (&mut *image, (*image).width as usize) };
        let mut lines = unsafe { image.scanlines()? };
        // SAFETY: as above.
        let target = unsafe { from_raw_parts_mut(pixels, count as usize * width * 4) };
        for (y, row) in (top as usize..).zip(target.chunks_exact_mut(width * 4)) {
            lines.unfilter_through(y);
            lines.pixels(y, row);
        }
        image.unfiltered = lines.unfiltered() as u32;
        Ok(())
    })
}

/// Convert an interlaced image to RGBA rows, each after an untouched byte.
///
/// # Safety
/// `image` describes valid buffers, and `rows` has room for all rows.
#[no_mangle]
pub unsafe extern "C" fn vr_read_interlaced(image: *mut Image, rows: *mut u8) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (image, format) = unsafe { (&*image, (*image).format()) };
        let size = (image.width as usize, image.height as usize);
        // SAFETY: as above.
        let data = unsafe { from_raw_parts_mut(image.data, image.length) };
        let rows = unsafe { from_raw_parts_mut(rows, (1 + 4 * size.0) * size.1) };
        read_interlaced(&format, size, image.palette_length / 3, data, rows)
    })
}

/// Convert all rows to RGBA, each after an untouched filter byte.
///
/// # Safety
/// `image` describes valid buffers, and `rows` has room for all rows.
#[no_mangle]
pub unsafe extern "C" fn vr_read_whole(image: *mut Image, rows: *mut u8) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut lines = unsafe { (*image).scanlines()? };
        let stride = 1 + 4 * lines.width;
        // SAFETY: as above.
        let rows = unsafe { from_raw_parts_mut(rows, stride * lines.height) };
        for (y, row) in rows.chunks_exact_mut(stride).enumerate() {
            lines.unfilter_through(y);
            lines.pixels(y, &mut row[1..]);
        }
        Ok(())
    })
}

/// Compare two images: write the mask of their union, all zeros before, and the result.
///
/// # Safety
/// All pointers are valid, and `mask` has a byte for each pixel of the union.
#[no_mangle]
pub unsafe extern "C" fn vr_mark(
    before: *mut Image,
    after: *mut Image,
    threshold: f64,
    include_anti_aliased: bool,
    rectangles: *const Rectangle,
    rectangle_count: usize,
    mask: *mut u8,
    found: *mut PairResult,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (before, after, found) = unsafe { (&mut *before, &mut *after, &mut *found) };
        let (mut old, mut new) = unsafe { (before.scanlines()?, after.scanlines()?) };
        let (width, height) = (old.width.max(new.width), old.height.max(new.height));
        // SAFETY: as above.
        let mask = unsafe { from_raw_parts_mut(mask, width * height) };
        let rectangles = unsafe { slice_of(rectangles, rectangle_count) };
        let threshold = Threshold::new(threshold);
        let options = marking::Options { threshold, include_anti_aliased };
        marking::mark(&mut old, &mut new, &options, mask);
        let (counts, grid) = summarize(mask, width, rectangles);
        found.counts = counts;
        let boxes = if counts.different > 0 { grid.boxes(MOST_BOXES) } else { Vec::new() };
        found.box_count = boxes.len() as u32;
        for (target, each) in found.boxes.iter_mut().zip(boxes) {
            *target = Box::from(each);
        }
        before.unfiltered = old.unfiltered() as u32;
        after.unfiltered = new.unfiltered() as u32;
        Ok(())
    })
}

/// Draw a mask over both images, as rows of a filter byte and palette indices.
///
/// `after` may be null if both have the same size: `before` then covers `after`.
///
/// # Safety
/// All other pointers are valid, the images were compared by `vr_mark`, `canvas` has room for each
/// row of the union and a byte more.
#[no_mangle]
pub unsafe extern "C" fn vr_draw(
    before: *mut Image,
    after: *mut Image,
    rectangles: *const Rectangle,
    rectangle_count: usize,
    mask: *const u8,
    canvas: *mut u8,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut old = unsafe { (*before).scanlines()? };
        let mut new = match after.is_null() {
            true => None,
            false => Some(unsafe { (*after).scanlines()? }),
        };
        let (width, height) = match &new {
            None => (old.width, old.height),
            Some(new) => (old.width.max(new.width), old.height.max(new.height)),
        };
        // SAFETY: as above.
        let mask = unsafe { from_raw_parts(mask, width * height) };
        let canvas = unsafe { from_raw_parts_mut(canvas, (width + 1) * height) };
        let rectangles = unsafe { slice_of(rectangles, rectangle_count) };
        drawing::draw(&mut old, new.as_mut(), width, mask, rectangles, canvas);
        Ok(())
    })
}

/// Unfilter two images completely after `vr_mark`, so that their pixels can be read.
///
/// # Safety
/// All pointers are valid, and `mask` was written by `vr_mark`.
#[no_mangle]
pub unsafe extern "C" fn vr_settle(before: *mut Image, after: *mut Image, mask: *const u8) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (before, after) = unsafe { (&mut *before, &mut *after) };
        let (mut old, mut new) = unsafe { (before.scanlines()?, after.scanlines()?) };
        let (width, height) = (old.width.max(new.width), old.height.max(new.height));
        // SAFETY: as above.
        let mask = unsafe { from_raw_parts(mask, width * height) };
        pixels::settle(&mut old, &mut new, mask);
        (before.unfiltered, after.unfiltered) = (before.height, after.height);
        Ok(())
    })
}

/// Copy a rectangle of a settled image of 8-bit RGB or RGBA as RGBA, four bytes a pixel.
///
/// # Safety
/// `image` describes valid buffers, and `target` has room for the rectangle.
#[no_mangle]
pub unsafe extern "C" fn vr_crop(image: *const Image, area: *const Box, target: *mut u8) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (pixels, area) = unsafe { ((*image).pixels()?, *area) };
        let [left, top, width, height] =
            [area.x, area.y, area.width, area.height].map(|n| n as usize);
        // SAFETY: as above.
        let target = unsafe { from_raw_parts_mut(target, 4 * width * height) };
        pixels.crop(left, top, width, target);
        Ok(())
    })
}

impl Image {
    /// # Safety
    /// The pointers are valid for their lengths, and nothing writes to the data.
    pub(crate) unsafe fn pixels<'data>(&self) -> Result<Pixels<'data>, ReadError> {
        // SAFETY: the caller's promise.
        let (format, data) = unsafe { (self.format(), from_raw_parts(self.data, self.length)) };
        let (width, height) = (self.width as usize, self.height as usize);
        match format.plain_step() {
            Some(step) if data.len() == (1 + step * width) * height => {
                Ok(Pixels::new(data, width, step))
            }
            _ => Err(ReadError::Length),
        }
    }

    /// # Safety
    /// The pointers are valid for their lengths.
    unsafe fn format(&self) -> Format {
        // SAFETY: the caller's promise.
        let palette = unsafe { slice_of(self.palette, self.palette_length) };
        let transparency = unsafe { slice_of(self.transparency, self.transparency_length) };
        Format::new(self.depth, self.color, palette, transparency)
    }

    /// # Safety
    /// The pointers are valid for their lengths, and nothing else uses the data.
    unsafe fn scanlines<'data>(&self) -> Result<Scanlines<'data>, ReadError> {
        // SAFETY: the caller's promise.
        let (format, data) = unsafe { (self.format(), from_raw_parts_mut(self.data, self.length)) };
        let size = (self.width as usize, self.height as usize);
        let mut lines = Scanlines::new(format, size, data, self.unfiltered as usize)?;
        lines.check_indices(self.palette_length / 3)?;
        Ok(lines)
    }
}

/// # Safety
/// `start` is valid for `length` elements, unless there are none.
pub(crate) unsafe fn slice_of<'data, T>(start: *const T, length: usize) -> &'data [T] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { from_raw_parts(start, length) }
}

/// Turn a result, or a panic, which must not reach the caller, into a status.
pub(crate) fn guard(work: impl FnOnce() -> Result<(), ReadError>) -> i32 {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => OK,
        Ok(Err(ReadError::Length)) => WRONG_LENGTH,
        Ok(Err(_)) => UNREADABLE,
        Err(_) => PANICKED,
    }
}
