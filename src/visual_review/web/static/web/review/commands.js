// What each command does.

import { historyUrl } from "./page_url.js";
import { findStep, findUndecided } from "../navigator/model/steps.js";

/** @import { Command } from "./key_map.js" */
/** @import { ReviewFlow } from "./review_flow.js" */
/** @import { Selection } from "./selection.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { ScreenshotViewer } from "../viewer/screenshot_viewer.js" */

/**
 * @typedef {object} CommandParts
 * @property {ReviewStore} store
 * @property {ReviewFlow} flow
 * @property {Selection} selection
 * @property {ScreenshotViewer} viewer
 * @property {() => void} search
 * @property {() => void} help
 * @property {() => void} openGroup
 * @property {() => void} drawRegions
 * @property {() => void} comments
 * @property {{toggle: () => void}} focusMode
 * @property {(text: string) => void} say
 */

/**
 * @param {CommandParts} parts
 * @returns {(command: Command) => void}
 */
export function createCommands(parts) {
  /** @type {Readonly<Record<Command, () => unknown>>} */
  const commands = { ...moveCommands(parts), ...decideCommands(parts), ...lookCommands(parts) };
  return (command) => void commands[command]();
}

/** @param {CommandParts} parts */
function moveCommands({ store, say, search, help, drawRegions, comments }) {
  /** @param {number} by */
  const step = (by) => store.setCurrent(findStep(store.visibleIds(), store.current, by));
  return {
    next: () => step(1),
    previous: () => step(-1),
    nextUndecided: () => {
      const { snapshot, current } = store;
      const next = snapshot ? findUndecided(store.visibleIds(), current, snapshot.screenshots) : null;
      if (next === null) {
        say("Nothing in the list is undecided.");
      } else {
        store.setCurrent(next);
      }
    },
    search,
    help,
    drawRegions,
    comments,
    history: () => {
      if (store.current !== null) {
        globalThis.location.assign(historyUrl(store.current));
      }
    },
  };
}

/** @param {CommandParts} parts */
function decideCommands({ flow, selection, openGroup }) {
  return {
    approve: () => flow.approve(),
    reject: () => flow.reject(),
    clear: () => flow.clear(),
    undo: () => flow.undo(),
    select: () => selection.toggleCurrent(),
    selectRange: () => selection.extendToCurrent(),
    selectVisible: () => selection.selectVisible(),
    openGroup,
    // Most of a group may not have been in view, whatever one member showed.
    approveGroup: () => (flow.isGroupSeen() ? flow.approveGroup() : openGroup()),
    rejectGroup: () => flow.rejectGroup(),
    approveStory: () => flow.approveStory(),
    rejectStory: () => flow.rejectStory(),
    approveBuild: () => flow.approveBuild(),
  };
}

/** @param {CommandParts} parts */
function lookCommands({ viewer, focusMode }) {
  return {
    nextChange: () => viewer.showNextChange(),
    previousChange: () => viewer.showPreviousChange(),
    nextMode: () => viewer.nextMode(),
    mode1: () => viewer.setMode("side-by-side"),
    mode2: () => viewer.setMode("overlay"),
    mode3: () => viewer.setMode("swipe"),
    mode4: () => viewer.setMode("blink"),
    mode5: () => viewer.setMode("difference"),
    zoomFit: cycleFit(viewer),
    zoomIn: () => viewer.zoomIn(),
    zoomOut: () => viewer.zoomOut(),
    holdBefore: () => holdUntilReleased(viewer),
    focusImage: () => viewer.focusImage(),
    focusMode: () => focusMode.toggle(),
    highlights: () => viewer.toggleHighlights(),
    magnifier: () => viewer.toggleMagnifier(),
  };
}

/**
 * Each press shows the next of three sizes; the width comes first, as a screenshot opens at its
 * change.
 * @param {ScreenshotViewer} viewer
 */
function cycleFit(viewer) {
  const fits = [() => viewer.fitWidth(), () => viewer.fitChange(), () => viewer.showActualSize()];
  let next = 0;
  return () => {
    fits[next]?.();
    next = (next + 1) % fits.length;
  };
}

/**
 * The next key that is released is the held one, or the window lost the keys.
 * @param {ScreenshotViewer} viewer
 */
function holdUntilReleased(viewer) {
  viewer.hold(true);
  const released = new AbortController();
  for (const name of ["keyup", "blur"]) {
    const release = () => {
      released.abort();
      viewer.hold(false);
    };
    globalThis.addEventListener(name, release, { signal: released.signal });
  }
}
