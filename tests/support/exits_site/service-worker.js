const fetchAll = async (urls, source) => {
  for (const url of urls) await fetch(`${url}?service-worker`, { mode: "no-cors" }).catch(() => {});
  source.postMessage("done");
};
addEventListener("message", (event) => event.waitUntil(fetchAll(event.data, event.source)));
