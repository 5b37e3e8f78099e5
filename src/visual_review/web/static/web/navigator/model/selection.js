// The chosen screenshots after a click with a modifier key.

/**
 * @param {ReadonlySet<string>} selection
 * @param {readonly string[]} ids
 * @returns {Set<string>}
 */
export function toggleIds(selection, ids) {
  const chosen = new Set(selection);
  const hasAll = ids.every((id) => chosen.has(id));
  for (const id of ids) {
    if (hasAll) {
      chosen.delete(id);
    } else {
      chosen.add(id);
    }
  }
  return chosen;
}

/**
 * Add all from one screenshot to others.
 *
 * @param {ReadonlySet<string>} selection
 * @param {readonly string[]} visible
 * @param {string | null} from
 * @param {readonly string[]} to
 * @returns {Set<string>}
 */
export function extendTo(selection, visible, from, to) {
  const places = [from ?? to[0] ?? "", ...to].map((id) => visible.indexOf(id));
  const known = places.filter((place) => place !== -1);
  if (known.length === 0) {
    return new Set(selection);
  }
  const range = visible.slice(Math.min(...known), Math.max(...known) + 1);
  return new Set([...selection, ...range]);
}
