const root = document.getElementById("storybook-root");
const listeners = new Map();

const channel = {
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

channel.on("setCurrentStory", ({ storyId: id }) => {
  setTimeout(() => {
    channel.emit("storyPrepared", { id, parameters: {} });
    channel.emit("storyRenderPhaseChanged", { newPhase: "rendering", storyId: id });
    root.innerHTML = '<div class="box"></div>';
    channel.emit("storyRenderPhaseChanged", { newPhase: "completed", storyId: id });
    channel.emit("storyRendered", id);
  }, 0);
});
channel.emit("setGlobals", { globals: {}, globalTypes: {} });
channel.emit("storyMissing");
