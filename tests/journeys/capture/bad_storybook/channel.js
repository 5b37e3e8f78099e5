// The least of Storybook's preview: its channel, and what it emits while it shows a story.
export const root = document.getElementById("storybook-root");

const listeners = new Map();

export const channel = {
  on(name, listener) {
    listeners.set(name, [...(listeners.get(name) ?? []), listener]);
  },
  once(name, listener) {
    channel.on(name, listener);
  },
  emit(name, ...values) {
    for (const listener of listeners.get(name) ?? []) listener(...values);
  },
};
window.__STORYBOOK_ADDONS_CHANNEL__ = channel;

export const paint = (html) => {
  root.innerHTML = html;
};

/** Shows a story; `fill` returns true if the story reports its outcome itself. */
export const render = (id, fill, parameters = {}, storyGlobals = {}) => {
  channel.emit("storyPrepared", { id, parameters });
  channel.emit("globalsUpdated", { globals: storyGlobals, storyGlobals });
  channel.emit("storyRenderPhaseChanged", { newPhase: "rendering", storyId: id });
  if (fill()) return;
  channel.emit("storyRenderPhaseChanged", { newPhase: "completed", storyId: id });
  channel.emit("storyRendered", id);
};

/** Starts the preview, which calls `show` with the ID of each chosen story. */
export const start = (show) => {
  channel.on("setCurrentStory", ({ storyId }) => setTimeout(() => show(storyId), 0));
  channel.on("updateGlobals", ({ globals }) => channel.emit("globalsUpdated", { globals, storyGlobals: {} }));
  channel.emit("setGlobals", { globals: {}, globalTypes: {} });
  channel.emit("storyMissing");
};
