importScripts("./late-words.js");
onmessage = ({ data }) => postMessage(`${data} from ${self.words} ${Math.random()}`);
