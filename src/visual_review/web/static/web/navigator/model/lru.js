// A bounded memory that forgets the least recently used values.

/** @template Value */
export class LeastRecentlyUsed {
  /** @type {Map<string, Value>} */
  #values = new Map();
  #most;
  #release;

  /**
   * @param {number} most
   * @param {(value: Value) => void} release Called with each forgotten value.
   */
  constructor(most, release) {
    this.#most = most;
    this.#release = release;
  }

  get size() {
    return this.#values.size;
  }

  /** @param {string} key */
  has(key) {
    return this.#values.has(key);
  }

  /** Return a value, and mark the value as the most recently used. @param {string} key */
  get(key) {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  /**
   * @param {string} key
   * @param {Value} value
   */
  set(key, value) {
    this.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) {
        break;
      }
      this.delete(oldest);
    }
  }

  /** @param {string} key */
  delete(key) {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#release(value);
    }
  }

  clear() {
    for (const key of [...this.#values.keys()]) {
      this.delete(key);
    }
  }
}
