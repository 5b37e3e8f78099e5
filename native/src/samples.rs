//! Convert unfiltered scanlines to 8-bit RGBA, one `u32` a pixel with red in the low byte.
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

const OPAQUE: u32 = 0xff00_0000;

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
    pub table: Vec<u32>,
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

    /// Return the bytes of one scanline without its filter byte.
    pub fn row_bytes(&self, width: usize) -> usize {
        (width * self.samples() * usize::from(self.depth)).div_ceil(8)
    }

    /// Return the distance in bytes that filters look back: a pixel, or a byte of several pixels.
    pub fn step(&self) -> usize {
        (self.samples() * usize::from(self.depth) / 8).max(1)
    }

    /// Convert the start of `row` to as many pixels as `pixels` has.
    pub fn convert(&self, row: &[u8], pixels: &mut [u32]) {
        match (self.color, self.depth) {
            (RGBA, 8) => convert_rgba(row, pixels),
            (RGB, 8) => convert_rgb(row, pixels, self.key),
            (GRAY_ALPHA, 8) => convert_gray_alpha(row, pixels),
            (PALETTE, _) | (GRAY, 1..=8) => self.look_up(row, pixels),
            _ => self.convert_wide(row, pixels),
        }
    }

    fn look_up(&self, row: &[u8], pixels: &mut [u32]) {
        let depth = usize::from(self.depth);
        let (most, per_byte) = ((1usize << depth) - 1, 8 / depth);
        for (index, pixel) in pixels.iter_mut().enumerate() {
            // The leftmost pixel is in the high bits.
            let shift = 8 - depth * (index % per_byte + 1);
            *pixel = self.table[usize::from(row[index / per_byte]) >> shift & most];
        }
    }

    fn convert_wide(&self, row: &[u8], pixels: &mut [u32]) {
        let count = self.samples();
        for (pixel, bytes) in pixels.iter_mut().zip(row.chunks_exact(2 * count)) {
            let mut wide = [0u16; 4];
            for (sample, pair) in wide.iter_mut().zip(bytes.chunks_exact(2)) {
                *sample = u16::from_be_bytes([pair[0], pair[1]]);
            }
            let [a, b, c, d] = wide.map(narrow);
            *pixel = match self.color {
                GRAY => pack(a, a, a, 255),
                GRAY_ALPHA => pack(a, a, a, b),
                RGB => pack(a, b, c, 255),
                _ => pack(a, b, c, d),
            };
            if self.key.is_some_and(|key| wide[..count] == key[..count]) {
                *pixel = 0;
            }
        }
    }
}

/// Return the largest index that a row of a palette image uses.
pub fn largest_index(row: &[u8], width: usize, depth: u8) -> usize {
    let depth = usize::from(depth);
    let (most, per_byte) = ((1usize << depth) - 1, 8 / depth);
    let indices = (0..width).map(|index| {
        let shift = 8 - depth * (index % per_byte + 1);
        usize::from(row[index / per_byte]) >> shift & most
    });
    indices.max().unwrap_or(0)
}

fn pack(red: u8, green: u8, blue: u8, alpha: u8) -> u32 {
    u32::from_le_bytes([red, green, blue, alpha])
}

fn narrow(sample: u16) -> u8 {
    ((u32::from(sample) + 128) / 257) as u8
}

fn convert_rgba(row: &[u8], pixels: &mut [u32]) {
    for (pixel, bytes) in pixels.iter_mut().zip(row.chunks_exact(4)) {
        *pixel = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
}

fn convert_rgb(row: &[u8], pixels: &mut [u32], key: Option<[u16; 3]>) {
    for (pixel, bytes) in pixels.iter_mut().zip(row.chunks_exact(3)) {
        *pixel = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 255]);
    }
    let Some([red, green, blue]) = key.map(|key| key.map(|sample| sample as u8)) else {
        return;
    };
    let transparent = pack(red, green, blue, 255);
    for pixel in pixels.iter_mut().filter(|pixel| **pixel == transparent) {
        *pixel = 0;
    }
}

fn convert_gray_alpha(row: &[u8], pixels: &mut [u32]) {
    for (pixel, bytes) in pixels.iter_mut().zip(row.chunks_exact(2)) {
        *pixel = u32::from_le_bytes([bytes[0], bytes[0], bytes[0], bytes[1]]);
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

fn palette_table(palette: &[u8], transparency: &[u8]) -> Vec<u32> {
    // Indices beyond the palette are refused before any is looked up.
    let mut table = vec![OPAQUE; 256];
    for (index, (entry, color)) in table.iter_mut().zip(palette.chunks_exact(3)).enumerate() {
        let alpha = transparency.get(index).copied().unwrap_or(255);
        *entry = pack(color[0], color[1], color[2], alpha);
    }
    table
}

fn gray_table(depth: u8, key: Option<[u16; 3]>) -> Vec<u32> {
    let most = (1u32 << depth) - 1;
    (0..=most)
        .map(|value| {
            let gray = (value * 255 / most) as u8;
            let transparent = key.is_some_and(|key| u32::from(key[0]) == value);
            if transparent {
                0
            } else {
                pack(gray, gray, gray, 255)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(format: &Format, row: &[u8], width: usize) -> Vec<u32> {
        let mut pixels = vec![0; width];
        format.convert(row, &mut pixels);
        pixels
    }

    #[test]
    fn narrow_samples_fill_bytes_from_the_high_bits() {
        let format = Format::new(2, GRAY, &[], &[]);
        let grays = [0, 85, 170, 255, 85].map(|gray| pack(gray, gray, gray, 255));
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
        assert_eq!(convert(&wide, &[1, 2, 1, 3], 2), [0, pack(1, 1, 1, 255)]);
        let narrow = Format::new(4, GRAY, &[], &[0xff, 0xf1]);
        assert_eq!(convert(&narrow, &[0x12], 2), [0, pack(34, 34, 34, 255)]);
        let color = Format::new(8, RGB, &[], &[0, 1, 0, 2, 0, 3]);
        assert_eq!(convert(&color, &[1, 2, 3, 1, 2, 4], 2), [0, pack(1, 2, 4, 255)]);
    }

    #[test]
    fn palette_entries_without_alpha_are_opaque() {
        let format = Format::new(8, PALETTE, &[1, 2, 3, 4, 5, 6], &[7]);
        assert_eq!(convert(&format, &[0, 1], 2), [pack(1, 2, 3, 7), pack(4, 5, 6, 255)]);
        assert_eq!(largest_index(&[0b0001_1011], 3, 2), 2);
    }
}
