onmessage = async ({ data }) => {
  for (const url of data) {
    new WebSocket(`${url.replace("http", "ws")}?worker-websocket`);
    await fetch(`${url}?worker-fetch`, { mode: "no-cors" }).catch(() => {});
  }
  postMessage("done");
};
