// The browser's storage, or memory where the browser forbids it.

/** @import { KeyValueStore } from "./queue_storage.js" */

/**
 * @param {"localStorage" | "sessionStorage"} name
 * @returns {KeyValueStore}
 */
export function openStorage(name) {
  try {
    return globalThis[name];
  } catch (error) {
    if (error instanceof DOMException) {
      return createMemoryStore();
    }
    throw error;
  }
}

/** @returns {KeyValueStore} */
export function createMemoryStore() {
  /** @type {Map<string, string>} */
  const values = new Map();
  return {
    get length() {
      return values.size;
    },
    key: (place) => [...values.keys()][place] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/**
 * Write a value that the page can do without.
 * @param {KeyValueStore} store
 * @param {string} key
 * @param {string} value Empty removes the key.
 */
export function keep(store, key, value) {
  try {
    if (value) {
      store.setItem(key, value);
    } else {
      store.removeItem(key);
    }
  } catch (error) {
    if (!(error instanceof DOMException)) {
      throw error;
    }
  }
}
