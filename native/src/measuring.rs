//! The C interface for measuring changed areas.

use std::slice::from_raw_parts;

use crate::area::Area;
use crate::features::{measure_area, AreaFeatures};
use crate::{guard, Box, Image};

/// Measure an area of the later of two settled images against the earlier image.
///
/// # Safety
/// All pointers are valid, and `mask` has a byte for each pixel of the union, including the area.
#[no_mangle]
pub unsafe extern "C" fn vr_measure(
    before: *const Image,
    after: *const Image,
    mask: *const u8,
    area: *const Box,
    dx: i32,
    dy: i32,
    features: *mut AreaFeatures,
) -> i32 {
    guard(|| {
        // SAFETY: the caller's promise.
        let (old, new, area) = unsafe { ((*before).pixels()?, (*after).pixels()?, *area) };
        let (width, height) = (old.width().max(new.width()), old.height().max(new.height()));
        // SAFETY: as above.
        let mask = unsafe { from_raw_parts(mask, width * height) };
        let [left, top, across, down] = [area.x, area.y, area.width, area.height].map(i64::from);
        let area = Area { left, top, right: left + across, bottom: top + down };
        let offset = (i64::from(dx), i64::from(dy));
        // SAFETY: as above.
        unsafe { *features = measure_area(&old, &new, (mask, width), area, offset) };
        Ok(())
    })
}
