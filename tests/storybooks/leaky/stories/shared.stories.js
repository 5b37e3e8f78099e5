// A shared worker stays as long as the page, with all that it counts.
const code = "let count = 0; onconnect = ({ ports: [port] }) => port.postMessage((count += 1))";

const connect = () => ({
  render: () => {
    const root = document.createElement("div");
    root.textContent = "waiting";
    const worker = new SharedWorker(`data:text/javascript,${encodeURIComponent(code)}`);
    worker.port.onmessage = ({ data }) => {
      root.textContent = `connection ${data}`;
    };
    return root;
  },
});

export default { title: "Leaks/Shared" };

export const Connects = connect();
export const ConnectsAgain = connect();
