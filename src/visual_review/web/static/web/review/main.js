// The review page: connects its parts, and loads the build into them.

import { find } from "../elements.js";
import { createNavigator } from "../navigator/navigator.js";
import { ScreenshotViewer } from "../viewer/screenshot_viewer.js";
import { viewStateFromParameters } from "../viewer/view_state.js";
import { Announcer } from "./announcer.js";
import { openStorage } from "./browser_storage.js";
import { createDeciding } from "./deciding.js";
import { DetailsCache } from "./details_cache.js";
import { connectControls } from "./controls.js";
import { describeLoadError, loadIndex, showLoadError } from "./loading.js";
import { readContext } from "./page_context.js";
import { SignedOutError, UnreachableError, getJson } from "./requests.js";
import { Session } from "./session.js";
import { SeenScreenshots } from "./seen_screenshots.js";
import { ReviewStore } from "./store.js";
import { chooseFirst, shotFromUrl } from "./url_state.js";

/** @import { RefusedError } from "./requests.js" */

const root = find("#review", HTMLElement);
const stageElement = find(".stage", HTMLElement, root);
const context = readContext(root);
const store = new ReviewStore();
const announcer = new Announcer(root);
const details = new DetailsCache(context.urls.details);
const viewer = new ScreenshotViewer();
viewer.state = viewStateFromParameters(new URLSearchParams(location.search));
const seen = new SeenScreenshots(store, openStorage("localStorage"), context);
store.isSeen = (id) => seen.has(id);
const deciding = createDeciding({ context, store, announcer, reload });
const navigator = createNavigator(find(".navigator", HTMLElement, root), store, {
  indexUrl: context.urls.index,
  thumbnailsUrl: context.urls.thumbnails,
});
const { url, showConnection } = connectControls({ root, context, store, announcer, details, viewer, seen, deciding, navigator });

const session = new Session({
  signInUrl: context.urls.signIn,
  countUnsaved: () => deciding.sender.queue.entries.length,
  currentUrl: () => url.compose(),
  isSignedIn,
  announcer,
  resume: () => {
    deciding.sender.retryNow();
    deciding.live.resume();
  },
});

/** Read the index again, and keep the place, the selection and the drafts. */
async function reload() {
  const snapshot = await loadIndex(context.urls.index);
  details.clear();
  store.load(snapshot);
  deciding.rows.reset();
  store.setSelection([...store.selection].filter((id) => snapshot.screenshots.has(id)));
  if (store.current === null) {
    chooseCurrent(null);
  }
}

/** @param {string | null} named */
function chooseCurrent(named) {
  if (store.snapshot) {
    store.setCurrent(chooseFirst(named, store.visibleIds(), store.snapshot.screenshots));
  }
}

async function isSignedIn() {
  try {
    await getJson(`${context.urls.changes}?since=${encodeURIComponent(store.snapshot?.cursor ?? "")}`);
    return true;
  } catch (error) {
    return !(error instanceof SignedOutError || error instanceof UnreachableError);
  }
}

async function start() {
  try {
    store.load(await loadIndex(context.urls.index));
  } catch (error) {
    const reason = describeLoadError(error);
    showLoadError(stageElement, reason, () => void start());
    if (error instanceof SignedOutError) {
      void session.end(error.signInUrl);
    }
    return;
  }
  chooseCurrent(shotFromUrl(location));
  deciding.restore();
  deciding.live.start();
  root.dataset["ready"] = "";
}

for (const source of [deciding.sender, deciding.live]) {
  source.addEventListener("signedout", (event) => {
    void session.end(/** @type {CustomEvent<{signInUrl: string}>} */ (event).detail.signInUrl);
  });
}
deciding.live.addEventListener("reachable", (event) => showConnection(/** @type {CustomEvent<boolean>} */ (event).detail));
deciding.live.addEventListener("gone", (event) => {
  const error = /** @type {CustomEvent<RefusedError>} */ (event).detail;
  const reason = error.body.organization ? error.message : "This build does not exist any more, or you may not see it any more.";
  announcer.notify(reason, { look: "error" });
});
addEventListener("beforeunload", (event) => {
  if (deciding.sender.queue.entries.length > 0 && !session.isLeaving) {
    event.preventDefault();
  }
});

void start();
