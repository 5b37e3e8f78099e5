// The tree of stories, by the parts of their Storybook titles.

/** @import { Part } from "./parts.js" */

/**
 * @typedef {object} Folder
 * @property {string} name Joined where a folder contains only one folder.
 * @property {string} path
 * @property {Folder[]} folders
 * @property {Part[]} parts
 */

/**
 * Split a title such as "Components/Button/Primary" into folders and the story's name.
 *
 * @param {string} title
 * @returns {{path: string[], name: string}}
 */
export function splitTitle(title) {
  const names = title
    .split("/")
    .map((name) => name.trim())
    .filter(Boolean);
  return { path: names.slice(0, -1), name: names.at(-1) ?? title };
}

/**
 * Put parts into folders. Folders and parts keep the order of the given parts.
 *
 * @param {Iterable<Part>} parts
 * @returns {Folder}
 */
export function buildFolders(parts) {
  const root = createFolder("", "");
  /** @type {Map<string, Folder>} */
  const byPath = new Map();
  for (const part of parts) {
    let folder = root;
    for (const name of splitTitle(part.title).path) {
      const path = `${folder.path}/${name}`;
      const known = byPath.get(path) ?? createFolder(name, path);
      if (!byPath.has(path)) {
        byPath.set(path, known);
        folder.folders.push(known);
      }
      folder = known;
    }
    folder.parts.push(part);
  }
  return { ...root, folders: root.folders.map(joinFolders) };
}

/**
 * A folder containing only one folder becomes one line: "Components / Button".
 *
 * @param {Folder} folder
 * @returns {Folder}
 */
function joinFolders(folder) {
  const [only] = folder.folders;
  if (only && folder.folders.length === 1 && folder.parts.length === 0) {
    const inner = joinFolders(only);
    return { ...inner, name: `${folder.name} / ${inner.name}` };
  }
  return { ...folder, folders: folder.folders.map(joinFolders) };
}

/**
 * @param {string} name
 * @param {string} path
 * @returns {Folder}
 */
function createFolder(name, path) {
  return { name, path, folders: [], parts: [] };
}
