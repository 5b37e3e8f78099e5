// Connects the page's controls with what they do.

import { find } from "../elements.js";
import { viewStateToParameters } from "../viewer/view_state.js";
import { BuildBar } from "./build_bar.js";
import { createCommands } from "./commands.js";
import { DecisionBar } from "./decision_bar.js";
import { button } from "./dom.js";
import { FocusMode } from "./focus_mode.js";
import { openGrid } from "./grid/open_grid.js";
import { showHelp } from "./help_dialog.js";
import { showKeyHint } from "./key_hint.js";
import { listenForKeys } from "./key_presses.js";
import { createListWidth } from "./list_width.js";
import { PageUrl } from "./page_url.js";
import { Panels } from "./panels.js";
import { Panes } from "./panes.js";
import { createPreferences } from "./preferences.js";
import { drawRegions } from "./regions/draw_regions.js";
import { Responses } from "./responses.js";
import { ReviewFlow } from "./review_flow.js";
import { Selection } from "./selection.js";
import { Stage } from "./stage.js";
import { ThreadPanel, numberOf } from "./threads/thread_panel.js";
import { ThreadStore } from "./threads/thread_store.js";
import { shotFromUrl } from "./url_state.js";

/** @import { ScreenshotViewer } from "../viewer/screenshot_viewer.js" */
/** @import { Announcer } from "./announcer.js" */
/** @import { createDeciding } from "./deciding.js" */
/** @import { DetailsCache } from "./details_cache.js" */
/** @import { Command } from "./key_map.js" */
/** @import { PageContext } from "./page_context.js" */
/** @import { SeenScreenshots } from "./seen_screenshots.js" */
/** @import { Thread } from "./threads/types.js" */
/** @import { Pin } from "../viewer/types.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { Parameters } from "./url_state.js" */

/**
 * @typedef {object} ControlParts
 * @property {HTMLElement} root
 * @property {PageContext} context
 * @property {ReviewStore} store
 * @property {Announcer} announcer
 * @property {DetailsCache} details
 * @property {ScreenshotViewer} viewer
 * @property {SeenScreenshots} seen
 * @property {ReturnType<typeof createDeciding>} deciding
 * @property {EventTarget & {parameters: () => Parameters, focusSearch: () => void}} navigator
 */

/** @param {ControlParts} parts */
export function connectControls(parts) {
  const { root, context, store, announcer, viewer, navigator } = parts;
  const preferences = createPreferences(context.reviewerId);
  const panes = new Panes(root);
  const threads = new ThreadStore(context, store);
  const panels = new Panels(root, find("#about-build", HTMLElement, root), context.urls.log, new ThreadPanel({ store, threads, viewer, announcer, showImage: () => panes.showViewer() }));
  const selection = new Selection(store);
  const focusMode = new FocusMode(root, announcer);
  const help = () => void showHelp({ areSingleKeysOn: preferences.areSingleKeysOn(), setSingleKeys: preferences.setSingleKeys });
  const search = () => {
    panes.showList();
    navigator.focusSearch();
  };
  /** @type {(command: Command) => void} */
  let run = () => {};
  const bar = new DecisionBar(find(".decision-bar", HTMLElement, root), parts, (command) => run(command));
  const flow = connectFlow(parts, bar, selection);
  run = createCommands({ store, flow, selection, viewer, search, help, openGroup: () => openGrid({ ...parts, flow }), drawRegions: () => void drawRegions(parts), comments: () => panels.toggleComments(), focusMode, say: (text) => announcer.say(text) });
  const buildBar = connectBuildBar(parts, { flow, panels, help });
  const stage = connectStage(parts, panes, run);
  connectThreads(parts, { threads, stage, panels, buildBar });
  if (shotFromUrl(location) !== null) {
    panes.followLink();
  }
  find("[data-skip-to-decision]", HTMLElement, root).addEventListener("click", () => bar.focus());
  listenForKeys({
    areSingleKeysOn: preferences.areSingleKeysOn,
    run,
    escape: () => focusMode.leave() || panels.close() || selection.clear() || leaveViewer(panes),
  });
  createListWidth(root, preferences);
  showKeyHint(find(".stage", HTMLElement, root), preferences);
  return { url: connectUrl(parts), showConnection: (/** @type {boolean} */ isReachable) => buildBar.showConnection(isReachable) };
}

/**
 * @param {ControlParts} parts
 * @param {DecisionBar} bar
 * @param {Selection} selection
 */
function connectFlow({ context, store, announcer, deciding, details, viewer, seen }, bar, selection) {
  const { rows, sender, decisions, live } = deciding;
  const markOutdated = () => {
    live.markOutdated();
    queueMicrotask(() => live.catchUpIfOutdated());
  };
  for (const name of ["queue", "confirmed", "refused"]) {
    sender.addEventListener(name, () => bar.showUndo(decisions.canUndo));
  }
  decisions.addEventListener("made", () => bar.showUndo(decisions.canUndo));
  bar.showUndo(decisions.canUndo);
  const responses = new Responses({ store, rows, sender, decisions, bar, announcer, details, nextUrl: context.urls.next, markOutdated });
  store.addEventListener("rows", (event) => {
    const ids = /** @type {CustomEvent<readonly string[] | null>} */ (event).detail;
    details.markOutdated(ids ?? []);
  });
  return new ReviewFlow({
    store,
    decisions,
    sender,
    selection,
    announcer,
    details,
    viewer,
    drafts: deciding.drafts,
    draftPrefix: `visual-review.draft.${context.reviewerId}.${context.buildId}.`,
    approvalUrl: context.urls.approval,
    countUnseen: () => seen.countUnseen(),
    showWork: (label) => responses.showWork(label),
  });
}

/**
 * @param {ControlParts} parts
 * @param {{flow: ReviewFlow, panels: Panels, help: () => void}} actions
 */
function connectBuildBar({ root, store, deciding, seen }, { flow, panels, help }) {
  const bar = new BuildBar(find(".build-bar", HTMLElement, root), store, {
    approveBuild: () => void flow.approveBuild(),
    rejectBuild: () => void flow.rejectBuild(),
    showFailures: () => {
      const failed = store.visibleIds().find((id) => store.screenshot(id)?.state === "failed");
      store.setCurrent(failed ?? store.current);
    },
    toggleFacts: () => panels.toggleFacts(),
    toggleLog: () => panels.toggleLog(),
    toggleComments: () => panels.toggleComments(),
    showHelp: help,
    countUnseen: () => seen.countUnseen(),
  });
  const { sender } = deciding;
  root.dataset["unsaved"] = "0";
  sender.addEventListener("queue", () => {
    const unsaved = sender.queue.entries.length;
    root.dataset["unsaved"] = String(unsaved);
    // An entry on its way is no news; a stuck one is.
    const isStuck = sender.queue.losses > 0 || sender.queue.isSignedOut;
    bar.showUnsaved(unsaved, isStuck);
    bar.showConnection(sender.queue.losses === 0);
  });
  return bar;
}

/**
 * @param {ControlParts} parts
 * @param {Panes} panes
 * @param {(command: Command) => void} run
 */
function connectStage({ root, store, details, viewer, navigator, seen }, panes, run) {
  const back = button("List", { class: "button button--quiet button--small stage__back" }, () => panes.showList());
  const stage = new Stage(find(".stage", HTMLElement, root), { store, details, viewer, back });
  store.addEventListener("current", () => {
    root.dataset["current"] = store.current ?? "";
  });
  viewer.addEventListener("viewerpainted", () => {
    root.toggleAttribute("data-painted", viewer.isPainted);
  });
  navigator.addEventListener("open", () => {
    panes.showViewer();
    if (panes.isNarrow) {
      stage.focus();
    }
  });
  viewer.addEventListener("viewerseen", (event) => {
    const { id, seen: count, total } = /** @type {CustomEvent<{id: string, seen: number, total: number}>} */ (event).detail;
    seen.add(count === total ? [id] : []);
  });
  viewer.addEventListener("viewerswipe", (event) => {
    run(/** @type {CustomEvent<{direction: number}>} */ (event).detail.direction > 0 ? "next" : "previous");
  });
  return stage;
}

/**
 * @param {ControlParts} parts
 * @param {{threads: ThreadStore, stage: Stage, panels: Panels, buildBar: BuildBar}} shown
 */
function connectThreads({ root, store, viewer }, { threads, stage, panels, buildBar }) {
  const showPins = () => {
    const own = threads.of(store.current);
    const pinned = own.filter(({ place, resolvedAt }) => place && resolvedAt === null);
    stage.setPins(pinned.map((thread) => toPin(thread, numberOf(thread, own))));
  };
  threads.addEventListener("threads", () => {
    buildBar.showOpenThreads(threads.openCount);
    showPins();
  });
  store.addEventListener("current", showPins);
  viewer.addEventListener("viewerpin", (event) => {
    const { id } = /** @type {CustomEvent<{id: string}>} */ (event).detail;
    panels.showComments();
    find(`.thread[data-id="${id}"]`, HTMLElement, root).scrollIntoView({ block: "nearest" });
  });
}

/**
 * @param {Thread} thread
 * @param {string} number
 * @returns {Pin}
 */
function toPin({ id, place, comments }, number) {
  return { x: place?.x ?? 0, y: place?.y ?? 0, id, number, label: `Comment ${number} by ${comments[0]?.by ?? ""}` };
}

/** @param {ControlParts} parts */
function connectUrl({ store, viewer, navigator }) {
  const url = new PageUrl(() => ({
    view: navigator.parameters(),
    shot: store.current,
    viewer: viewStateToParameters(viewer.state),
  }));
  store.addEventListener("current", () => url.writeSoon());
  navigator.addEventListener("view", () => url.writeSoon());
  viewer.addEventListener("viewerstate", () => url.writeSoon());
  return url;
}

/** @param {Panes} panes */
function leaveViewer(panes) {
  const isShown = panes.isNarrow && panes.isViewerShown;
  if (isShown) {
    panes.showList();
  }
  return isShown;
}
