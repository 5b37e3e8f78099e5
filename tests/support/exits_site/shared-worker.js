onconnect = ({ ports: [port] }) => {
  port.onmessage = async ({ data }) => {
    for (const url of data) await fetch(`${url}?shared-worker`, { mode: "no-cors" }).catch(() => {});
    port.postMessage("done");
  };
};
