//! Undo the row filters of PNG, in place.
//!
//! Source: PNG Specification, third edition, section 9.

/// The filter of a row has a number without a definition in PNG.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownFilter;

/// The largest filter number of PNG.
pub const LAST_FILTER: u8 = 4;
#[cfg(target_arch = "x86_64")]
const PAETH: u8 = 4;

/// Undo `filter` in `row`; `above` is the unfiltered row above, zeros for the first row.
///
/// `step` is the distance in bytes to the pixel on the left: 1, 2, 3, 4, 6 or 8.
pub fn unfilter(
    filter: u8,
    row: &mut [u8],
    above: &[u8],
    step: usize,
) -> Result<(), UnknownFilter> {
    match filter {
        0 => {}
        1 => undo_sub(row, step),
        2 => undo_up(row, above),
        3 => undo_average(row, above, step),
        4 => undo_paeth(row, above, step),
        _ => return Err(UnknownFilter),
    }
    Ok(())
}

/// Undo `filter` in two rows of the same length at once, each with its row above.
///
/// Returns false, and changes nothing, if one row after the other is as fast.
pub fn unfilter_pair(filter: u8, rows: [(&mut [u8], &[u8]); 2], step: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if filter == PAETH && (step == 3 || step == 4) {
        let [one, two] = rows.map(|(row, above)| crate::unfilter_x86::Rows { row, above });
        match step {
            3 => crate::unfilter_x86::paeth_of_two::<3>(one, two),
            _ => crate::unfilter_x86::paeth_of_two::<4>(one, two),
        }
        return true;
    }
    let _ = (filter, rows, step);
    false
}

fn undo_up(row: &mut [u8], above: &[u8]) {
    for (byte, up) in row.iter_mut().zip(above) {
        *byte = byte.wrapping_add(*up);
    }
}

/// A constant step lets the compiler keep the pixel on the left in registers.
macro_rules! by_step {
    ($step:expr, $function:ident, $($argument:expr),*) => {
        match $step {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            6 => $function::<6>($($argument),*),
            _ => $function::<8>($($argument),*),
        }
    };
}

fn undo_sub(row: &mut [u8], step: usize) {
    by_step!(step, sub_pixels, row);
}

fn undo_average(row: &mut [u8], above: &[u8], step: usize) {
    by_step!(step, average_pixels, row, above);
}

fn undo_paeth(row: &mut [u8], above: &[u8], step: usize) {
    #[cfg(target_arch = "x86_64")]
    match step {
        3 => return crate::unfilter_x86::paeth::<3>(row, above),
        4 => return crate::unfilter_x86::paeth::<4>(row, above),
        _ => {}
    }
    by_step!(step, paeth_pixels, row, above);
}

fn sub_pixels<const STEP: usize>(row: &mut [u8]) {
    let mut left = [0u8; STEP];
    for pixel in row.chunks_exact_mut(STEP) {
        for (byte, known) in pixel.iter_mut().zip(left.iter_mut()) {
            *byte = byte.wrapping_add(*known);
            *known = *byte;
        }
    }
}

fn average_pixels<const STEP: usize>(row: &mut [u8], above: &[u8]) {
    let mut left = [0u8; STEP];
    for (pixel, up) in row.chunks_exact_mut(STEP).zip(above.chunks_exact(STEP)) {
        for index in 0..STEP {
            let half = (u16::from(left[index]) + u16::from(up[index])) >> 1;
            left[index] = pixel[index].wrapping_add(half as u8);
        }
        pixel.copy_from_slice(&left);
    }
}

fn paeth_pixels<const STEP: usize>(row: &mut [u8], above: &[u8]) {
    let (mut left, mut corner) = ([0u8; STEP], [0u8; STEP]);
    for (pixel, up) in row.chunks_exact_mut(STEP).zip(above.chunks_exact(STEP)) {
        for index in 0..STEP {
            let guess = predict(left[index], up[index], corner[index]);
            left[index] = pixel[index].wrapping_add(guess);
            corner[index] = up[index];
        }
        pixel.copy_from_slice(&left);
    }
}

fn predict(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let (to_left, to_up, to_corner) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
    if to_left <= to_up && to_left <= to_corner {
        left
    } else if to_up <= to_corner {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of the specification, byte by byte.
    fn by_definition(filter: u8, row: &[u8], above: &[u8], step: usize) -> Vec<u8> {
        let mut done: Vec<u8> = Vec::new();
        for (index, byte) in row.iter().enumerate() {
            let left = if index < step { 0 } else { done[index - step] };
            let corner = if index < step { 0 } else { above[index - step] };
            let up = above[index];
            let guess = match filter {
                0 => 0,
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                _ => predict(left, up, corner),
            };
            done.push(byte.wrapping_add(guess));
        }
        done
    }

    fn noise(length: usize, mut state: u32) -> Vec<u8> {
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect()
    }

    #[test]
    fn every_filter_at_every_step_follows_the_definition() {
        for step in [1, 2, 3, 4, 6, 8] {
            for pixels in [1, 2, 3, 5, 8, 33] {
                for filter in 0..=LAST_FILTER {
                    let (row, above) = (noise(step * pixels, 7), noise(step * pixels, 99));
                    let mut done = row.clone();
                    unfilter(filter, &mut done, &above, step).unwrap();
                    let expected = by_definition(filter, &row, &above, step);
                    assert_eq!(done, expected, "filter {filter}, step {step}, {pixels} pixels");
                }
            }
        }
    }

    #[test]
    fn an_unknown_filter_is_an_error() {
        assert_eq!(unfilter(5, &mut [0], &[0], 1), Err(UnknownFilter));
    }
}
