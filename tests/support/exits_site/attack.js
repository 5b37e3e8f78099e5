// Tries everything that sends something, and returns what could be tried.
async (targets) => {
  const urls = targets.map((target) => target.url);
  const tried = [];
  const add = (name, attributes) => {
    const element = Object.assign(document.createElement(name), attributes);
    document.body.append(element);
    return element;
  };
  const once = (target) => new Promise((resolve) => (target.onmessage = resolve));

  for (const url of urls) {
    await fetch(`${url}?fetch`, { mode: "no-cors" }).catch(() => {});
    await fetch(`${url}redirect`, { mode: "no-cors" }).catch(() => {});
    add("img", { src: `${url}?img` });
    add("video", { src: `${url}?video` });
    add("iframe", { src: `${url}?iframe` });
    new WebSocket(`${url.replace("http", "ws")}?websocket`);
    new EventSource(`${url}?eventsource`);
    navigator.sendBeacon(`${url}?beacon`, "x");
    for (const rel of ["dns-prefetch", "preconnect", "prefetch", "preload", "modulepreload", "stylesheet"]) {
      add("link", { rel, href: `${url}?${rel}`, as: "script" });
    }
    const rules = { prefetch: [{ urls: [`${url}?speculation`], source: "list", eagerness: "immediate" }] };
    add("script", { type: "speculationrules", textContent: JSON.stringify(rules) });
    // A window is closed, often before it sends anything; a frame stays.
    for (const target of ["_blank", add("iframe", { name: `form of ${url}` }).name]) {
      add("form", { action: `${url}?form`, method: "post", target }).submit();
    }
    for (const target of ["_blank", add("iframe", { name: `window of ${url}` }).name]) {
      window.open(`${url}?window`, target);
    }
    add("a", { href: "/", ping: `${url}?ping`, target: "ping" }).click();
  }

  const worker = new Worker("worker.js");
  worker.postMessage(urls);
  await once(worker);
  tried.push("worker");

  const { port } = new SharedWorker("shared-worker.js");
  const replied = once(port);
  port.postMessage(urls);
  await replied;
  tried.push("shared worker");

  await navigator.serviceWorker.register("service-worker.js");
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage(urls);
  await once(navigator.serviceWorker);
  tried.push("service worker");

  for (const { host, udp } of targets) {
    const name = host.includes(":") ? `[${host}]` : host;
    await new WebTransport(`https://${name}:${udp}/`).ready.catch(() => tried.push("web transport"));
  }

  const candidates = [];
  const servers = targets.flatMap(({ host, tcp, udp }) => {
    const name = host.includes(":") ? `[${host}]` : host;
    const turn = { username: "name", credential: "password" };
    return [
      { urls: `stun:${name}:${udp}` },
      { urls: `turn:${name}:${udp}`, ...turn },
      { urls: `turn:${name}:${tcp}?transport=tcp`, ...turn },
    ];
  });
  const caller = new RTCPeerConnection({ iceServers: servers });
  const callee = new RTCPeerConnection();
  caller.onicecandidate = ({ candidate }) => candidate && candidates.push(candidate.candidate);
  caller.createDataChannel("data");
  await caller.setLocalDescription(await caller.createOffer());
  await callee.setRemoteDescription(caller.localDescription);
  await callee.setLocalDescription(await callee.createAnswer());
  await caller.setRemoteDescription(callee.localDescription);
  for (const { host, tcp, udp } of targets) {
    for (const [kind, port, more] of [["udp", udp, ""], ["tcp", tcp, " tcptype passive"]]) {
      const candidate = `candidate:1 1 ${kind} 2113937151 ${host} ${port} typ host${more}`;
      await caller.addIceCandidate({ candidate, sdpMid: "0", sdpMLineIndex: 0 });
    }
  }
  // Long enough for the first packets; nothing says that none will follow.
  await new Promise((resolve) => setTimeout(resolve, 700));
  tried.push("peer connection");
  return { tried, candidates };
};
