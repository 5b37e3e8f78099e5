//! Convert unfiltered scanlines to 8-bit RGBA, four bytes a pixel.
//!
//! Samples of 16 bits are rounded to the nearest of 8 bits, and a pixel that tRNS makes transparent
//! becomes zero, both as in pngjs, the PNG reader of pixelmatch's own tests.

/// The color types of PNG.
pub const GRAY: u8 = 0;
/// Red, green, blue.
pub const RGB: u8 = 2;
/// Indices into a palette.
pub const PALETTE: u8 = 3;
/// Gray with alpha.
pub const GRAY_ALPHA: u8 = 4;
/// Red, green, blue, alpha.
pub const RGBA: u8 = 6;

/// Red, green, blue, alpha.
pub type Pixel = [u8; 4];

const BLACK: Pixel = [0, 0, 0, 255];
const TRANSPARENT: Pixel = [0; 4];

/// How the samples of one image become colors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of one sample: 1, 2, 4, 8 or 16.
    pub depth: u8,
    /// One of the color types above.
    pub color: u8,
    /// The samples of the one transparent color of an image without alpha or palette.
    pub key: Option<[u16; 3]>,
    /// The color of every sample value, for images of few values (palette, gray up to 8 bits).
    pub table: Vec<Pixel>,
}

impl Format {
    /// Describe an image; `palette` has three bytes a color, `transparency` is the tRNS chunk.
    pub fn new(depth: u8, color: u8, palette: &[u8], transparency: &[u8]) -> Self {
        let key = match color {
            GRAY | RGB => read_key(depth, transparency),
            _ => None,
        };
        let table = match color {
            PALETTE => palette_table(palette, transparency),
            GRAY if depth <= 8 => gray_table(depth, key),
            _ => Vec::new(),
        };
        Self { depth, color, key, table }
    }

    /// Return the number of samples of a pixel.
    pub fn samples(&self) -> usize {
        match self.color {
            RGB => 3,
            GRAY_ALPHA => 2,
            RGBA => 4,
            _ => 1,
        }
    }

    /// Return the bytes of one scanline without the filter byte.
    pub fn row_bytes(&self, width: usize) -> usize {
        (width * self.samples() * usize::from(self.depth)).div_ceil(8)
    }

    /// Return the number of bytes that filters look back: a pixel, or a byte of several pixels.
    pub fn step(&self) -> usize {
        (self.samples() * usize::from(self.depth) / 8).max(1)
    }

    /// Return the bytes of a pixel if they are its 8-bit colors already: 3, or 4 with alpha.
    pub fn plain_step(&self) -> Option<usize> {
        match (self.color, self.depth, self.key) {
            (RGB, 8, None) => Some(3),
            (RGBA, 8, _) => Some(4),
            _ => None,
        }
    }

    /// Convert the start of `row` to as many pixels as `pixels` has room for.
    pub fn convert(&self, row: &[u8], pixels: &mut [u8]) {
        match (self.color, self.depth) {
            (RGBA, 8) => pixels.copy_from_slice(&row[..pixels.len()]),
            (RGB, 8) => convert_rgb(row, pixels, self.key),
            (PALETTE, _) | (GRAY, 1..=8) => self.look_up(row, pixels),
            (GRAY_ALPHA, 8) => convert_gray_alpha(row, pixels),
            _ => self.convert_wide(row, pixels),
        }
    }

    fn look_up(&self, row: &[u8], pixels: &mut [u8]) {
        let depth = usize::from(self.depth);
        let (most, per_byte) = ((1usize << depth) - 1, 8 / depth);
        for (index, pixel) in pixels.chunks_exact_mut(4).enumerate() {
            // The leftmost pixel is in the high bits.
            let shift = 8 - depth * (index % per_byte + 1);
            let value = usize::from(row[index / per_byte]) >> shift & most;
            pixel.copy_from_slice(&self.table[value]);
        }
    }

    fn convert_wide(&self, row: &[u8], pixels: &mut [u8]) {
        let count = self.samples();
        for (pixel, bytes) in pixels.chunks_exact_mut(4).zip(row.chunks_exact(2 * count)) {
            let mut wide = [0u16; 4];
            for (sample, pair) in wide.iter_mut().zip(bytes.chunks_exact(2)) {
                *sample = u16::from_be_bytes([pair[0], pair[1]]);
            }
            let [a, b, c, d] = wide.map(narrow);
            let color = match self.color {
                _ if self.key.is_some_and(|key| wide[..count] == key[..count]) => TRANSPARENT,
                GRAY => [a, a, a, 255],
                GRAY_ALPHA => [a, a, a, b],
                RGB => [a, b, c, 255],
                _ => [a, b, c, d],
            };
            pixel.copy_from_slice(&color);
        }
    }
}

/// Return the largest index in a row of a palette image.
pub fn largest_index(row: &[u8], width: usize, depth: u8) -> usize {
    let depth = usize::from(depth);
    let (most, per_byte) = ((1usize << depth) - 1, 8 / depth);
    let indices = (0..width).map(|index| {
        let shift = 8 - depth * (index % per_byte + 1);
        usize::from(row[index / per_byte]) >> shift & most
    });
    indices.max().unwrap_or(0)
}

fn narrow(sample: u16) -> u8 {
    ((u32::from(sample) + 128) / 257) as u8
}

fn convert_rgb(row: &[u8], pixels: &mut [u8], key: Option<[u16; 3]>) {
    add_alpha(row, pixels);
    let Some([red, green, blue]) = key.map(|key| key.map(|sample| sample as u8)) else {
        return;
    };
    for pixel in pixels.chunks_exact_mut(4).filter(|pixel| **pixel == [red, green, blue, 255]) {
        pixel.copy_from_slice(&TRANSPARENT);
    }
}

/// Convert opaque pixels of three bytes to four.
fn add_alpha(row: &[u8], pixels: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("ssse3") {
        // SAFETY: the processor has SSSE3.
        let done = unsafe { crate::samples_x86::add_alpha(row, pixels) };
        return add_alpha_each(&row[3 * done..], &mut pixels[4 * done..]);
    }
    add_alpha_each(row, pixels);
}

fn add_alpha_each(row: &[u8], pixels: &mut [u8]) {
    for (pixel, bytes) in pixels.chunks_exact_mut(4).zip(row.chunks_exact(3)) {
        pixel.copy_from_slice(&[bytes[0], bytes[1], bytes[2], 255]);
    }
}

fn convert_gray_alpha(row: &[u8], pixels: &mut [u8]) {
    for (pixel, bytes) in pixels.chunks_exact_mut(4).zip(row.chunks_exact(2)) {
        pixel.copy_from_slice(&[bytes[0], bytes[0], bytes[0], bytes[1]]);
    }
}

fn read_key(depth: u8, transparency: &[u8]) -> Option<[u16; 3]> {
    if transparency.is_empty() {
        return None;
    }
    // Of fewer than 16 bits only the low ones count (PNG specification 11.3.1.1).
    let most = if depth == 16 { u16::MAX } else { (1 << depth) - 1 };
    let mut key = [0u16; 3];
    for (sample, pair) in key.iter_mut().zip(transparency.chunks_exact(2)) {
        *sample = u16::from_be_bytes([pair[0], pair[1]]) & most;
    }
    Some(key)
}

fn palette_table(palette: &[u8], transparency: &[u8]) -> Vec<Pixel> {
    // Indices beyond the palette are refused before any is looked up.
    let mut table = vec![BLACK; 256];
    for (index, (entry, color)) in table.iter_mut().zip(palette.chunks_exact(3)).enumerate() {
        let alpha = transparency.get(index).copied().unwrap_or(255);
        *entry = [color[0], color[1], color[2], alpha];
    }
    table
}

fn gray_table(depth: u8, key: Option<[u16; 3]>) -> Vec<Pixel> {
    let most = (1u32 << depth) - 1;
    let color = |value: u32| {
        let gray = (value * 255 / most) as u8;
        let transparent = key.is_some_and(|key| u32::from(key[0]) == value);
        if transparent {
            TRANSPARENT
        } else {
            [gray, gray, gray, 255]
        }
    };
    (0..=most).map(color).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(format: &Format, row: &[u8], width: usize) -> Vec<Pixel> {
        let mut pixels = vec![0; 4 * width];
        format.convert(row, &mut pixels);
        pixels.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2], pixel[3]]).collect()
    }

    #[test]
    fn narrow_samples_fill_bytes_from_the_high_bits() {
        let format = Format::new(2, GRAY, &[], &[]);
        let grays = [0, 85, 170, 255, 85].map(|gray| [gray, gray, gray, 255]);
        assert_eq!(convert(&format, &[0b0001_1011, 0b0111_1111], 5), grays);
        assert_eq!((format.row_bytes(5), format.step()), (2, 1));
    }

    #[test]
    fn wide_samples_are_rounded_to_the_nearest() {
        for sample in 0..=u16::MAX {
            let nearest = (f64::from(sample) * 255.0 / 65535.0).round();
            assert_eq!(f64::from(narrow(sample)), nearest, "{sample}");
        }
    }

    #[test]
    fn all_bits_of_a_sample_decide_whether_it_is_transparent() {
        let wide = Format::new(16, GRAY, &[], &[1, 2]);
        assert_eq!(convert(&wide, &[1, 2, 1, 3], 2), [TRANSPARENT, [1, 1, 1, 255]]);
        let narrow = Format::new(4, GRAY, &[], &[0xff, 0xf1]);
        assert_eq!(convert(&narrow, &[0x12], 2), [TRANSPARENT, [34, 34, 34, 255]]);
        let color = Format::new(8, RGB, &[], &[0, 1, 0, 2, 0, 3]);
        assert_eq!(convert(&color, &[1, 2, 3, 1, 2, 4], 2), [TRANSPARENT, [1, 2, 4, 255]]);
    }

    #[test]
    fn palette_entries_without_alpha_are_opaque() {
        let format = Format::new(8, PALETTE, &[1, 2, 3, 4, 5, 6], &[7]);
        assert_eq!(convert(&format, &[0, 1], 2), [[1, 2, 3, 7], [4, 5, 6, 255]]);
        assert_eq!(largest_index(&[0b0001_1011], 3, 2), 2);
    }
}
