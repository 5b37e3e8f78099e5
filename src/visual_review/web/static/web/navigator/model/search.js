// Text search in any script, without regard to case and accents.

// Marks that NFKD takes off letters. In scripts such as Devanagari the marks are letters and stay.
const ACCENTS = /[\u0300-\u036f]/gu;

/**
 * Return the text in the form in which texts are compared.
 *
 * @param {string} text
 */
export function foldText(text) {
  // NFC joins what NFKD took apart without need, such as Korean syllables.
  return text.normalize("NFKD").replace(ACCENTS, "").toLowerCase().normalize("NFC");
}

/**
 * Return the folded words of a search; all words must be found.
 *
 * @param {string} query
 */
export function splitQuery(query) {
  return foldText(query).split(/\s+/u).filter(Boolean);
}

/** Folded texts by the original: stories and groups have the same texts in many rows. */
export class FoldedTexts {
  /** @type {Map<string, string>} */
  #known = new Map();

  /** @param {string} text */
  fold(text) {
    let folded = this.#known.get(text);
    if (folded === undefined) {
      folded = foldText(text);
      this.#known.set(text, folded);
    }
    return folded;
  }
}
