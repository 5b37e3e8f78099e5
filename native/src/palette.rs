//! Colors, their distances, and how often each occurs.

/// Return distinct values in ascending order, and how often each occurs.
pub fn count_colors<T: Ord + Copy>(mut values: Vec<T>) -> Vec<(T, usize)> {
    values.sort_unstable();
    let mut found: Vec<(T, usize)> = Vec::new();
    for value in values {
        match found.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => found.push((value, 1)),
        }
    }
    found
}

/// Return the first of the most frequent values and its count, zeros where there is none.
pub fn most_common<T: Copy + Default>(counted: &[(T, usize)]) -> (T, usize) {
    let first = counted.iter().rev().max_by_key(|(_, count)| *count);
    first.copied().unwrap_or_default()
}

/// Return the largest difference of a channel.
#[inline(always)]
pub fn largest_distance(one: u32, two: u32) -> u32 {
    differences(one, two).into_iter().fold(0, u32::max)
}

/// Return the sum of the differences of all channels.
pub fn distance(one: u32, two: u32) -> u32 {
    differences(one, two).into_iter().sum()
}

#[inline(always)]
fn differences(one: u32, two: u32) -> [u32; 4] {
    let (one, two) = (one.to_le_bytes(), two.to_le_bytes());
    std::array::from_fn(|at| u32::from(one[at].abs_diff(two[at])))
}

/// Colors near a color: no channel differs by more than a limit.
pub struct Near {
    color: u32,
    limit: u32,
}

impl Near {
    /// The colors near one.
    pub fn new(color: u32, limit: u32) -> Self {
        Self { color, limit }
    }

    /// Return whether a color is near.
    #[inline(always)]
    pub fn holds(&self, color: u32) -> bool {
        color == self.color || largest_distance(color, self.color) <= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_most_frequent_values_is_the_most_common() {
        let counted = count_colors(vec![7, 3, 9, 3, 7]);
        assert_eq!(counted, [(3, 2), (7, 2), (9, 1)]);
        assert_eq!(most_common(&counted), (3, 2));
        assert_eq!(most_common::<u32>(&[]), (0, 0));
    }

    #[test]
    fn distances_are_of_channels() {
        assert_eq!(largest_distance(0xff00_0a05, 0xff00_0006), 10);
        assert_eq!(distance(0xff00_0a05, 0xff00_0006), 11);
        assert!(Near::new(0x0010, 3).holds(0x0013));
        assert!(!Near::new(0x0010, 3).holds(0x0014));
    }
}
