// Pointer and keys in the list.

/** @import { ReviewStore } from "../review/store.js" */
/** @import { LineList } from "./line_list.js" */
/** @import { Line } from "./model/lines.js" */
/** @import { TreeAction } from "./model/tree_keys.js" */
/** @import { Navigator } from "./navigator.js" */

import { extendTo, toggleIds } from "./model/selection.js";
import { planKey } from "./model/tree_keys.js";

/**
 * @param {LineList} list
 * @param {ReviewStore} store
 * @param {Navigator} navigator
 */
export function listenToTree(list, store, navigator) {
  list.tree.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const line = findLine(list, target);
    if (line && target) {
      click(line, target, event, { store, navigator });
    }
  });
  list.tree.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey) {
      pressKey(event, list, { store, navigator });
    }
  });
}

/** @typedef {{store: ReviewStore, navigator: Navigator}} Parts */

/**
 * @param {LineList} list
 * @param {Element | null} target
 */
function findLine(list, target) {
  const element = target?.closest(".line");
  const key = element instanceof HTMLElement ? element.dataset["key"] : undefined;
  return key === undefined ? undefined : list.lines[list.placeOf(key)];
}

/**
 * @param {Line} line
 * @param {Element} target
 * @param {MouseEvent} event
 * @param {Parts} parts
 */
function click(line, target, event, { store, navigator }) {
  if (event.ctrlKey || event.metaKey) {
    store.setSelection(toggleIds(store.selection, line.ids));
    return;
  }
  if (event.shiftKey) {
    const visible = store.visibleIds();
    store.setSelection(extendTo(store.selection, visible, store.current, line.ids));
    return;
  }
  const cell = target.closest("[data-screenshot-id].matrix__cell");
  const id = cell instanceof HTMLElement ? cell.dataset["screenshotId"] : undefined;
  if (id) {
    store.setCurrent(id);
    navigator.open();
  } else if (line.isFolded !== null && (line.type !== "group" || target.closest(".line__fold"))) {
    navigator.fold(line, !line.isFolded);
  } else {
    choose(line, navigator);
  }
}

/**
 * @param {Line} line
 * @param {Navigator} navigator
 */
function choose(line, navigator) {
  if (line.type === "loading") {
    navigator.retryLoading();
  } else {
    navigator.show(line);
    navigator.open();
  }
}

/**
 * @param {KeyboardEvent} event
 * @param {LineList} list
 * @param {Parts} parts
 */
function pressKey(event, list, { store, navigator }) {
  const index = list.placeOf(list.focusKey);
  const action = planKey(event.key, {
    lines: list.lines,
    index,
    pageSize: list.pageSize,
    current: store.current,
    isRightToLeft: getComputedStyle(list.tree).direction === "rtl",
  });
  if (!action) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  const line = list.lines[index];
  if (line) {
    act(action, line, list, { store, navigator });
  }
}

/**
 * @param {TreeAction} action
 * @param {Line} line
 * @param {LineList} list
 * @param {Parts} parts
 */
function act(action, line, list, { store, navigator }) {
  switch (action.type) {
    case "focus":
      focusLine(list, action.index, navigator);
      break;
    case "show":
      store.setCurrent(action.id);
      break;
    case "fold":
      navigator.fold(line, action.isFolded);
      break;
    case "select":
      store.setSelection(toggleIds(store.selection, line.ids));
      break;
    default:
      if (line.isFolded !== null && line.type !== "group") {
        navigator.fold(line, !line.isFolded);
      } else {
        choose(line, navigator);
      }
  }
}

/**
 * The viewer follows the focus, but not to headings.
 *
 * @param {LineList} list
 * @param {number} index
 * @param {Navigator} navigator
 */
function focusLine(list, index, navigator) {
  const line = list.lines[index];
  if (line) {
    navigator.focusLine(line);
    if (line.type === "story" || (line.type === "group" && line.isFolded)) {
      navigator.show(line);
    }
  }
}
