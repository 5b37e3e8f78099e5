import { channel, paint as paintPage, render, root, start } from "./channel.js";

const paint = (text) => paintPage(`<p>${text}</p>`);

// Changes the page after its image, while it is seen whether it stays quiet.
const afterImage = (change) => {
  const shared = window.__visualReview;
  const { stayedQuiet } = shared;
  shared.stayedQuiet = async () => {
    shared.stayedQuiet = stayedQuiet;
    await change();
    return stayedQuiet();
  };
};

const scroller = () => {
  root.innerHTML = '<div style="height: 60px; overflow: auto"><p style="height: 300px">top</p><p>end</p></div>';
};
const scrollDown = () => root.firstChild.scrollTo(0, 1000);

const restyle = () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("p { color: green }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
};

// Each story paints itself and returns true when it reports its outcome itself.
const stories = {
  "calm--first": () => paint("calm"),
  "calm--second": () => paint("calm too"),
  "calm--third": () => paint("calm as well"),
  "bad--blocks": () => {
    for (;;);
  },
  "bad--never-renders": () => true,
  // The test answers this request once it has seen the image of another story.
  "bad--waits-for-others": () => {
    fetch("http://127.0.0.1:WAITING").catch(() => {
      paint("at last");
      channel.emit("storyRendered", "bad--waits-for-others");
    });
    return true;
  },
  "bad--leaves": () => {
    window.location.href = "./elsewhere.html";
    return true;
  },
  // The test answers this request by ending the page's process.
  "bad--crashes": () => {
    fetch("http://127.0.0.1:CRASHER");
    return true;
  },
  "bad--throws": () => {
    channel.emit("storyThrewException", { name: "Error", message: "thrown on purpose" });
    return true;
  },
  "bad--reports": () => {
    channel.emit("storyErrored", { title: "No element", description: "the story returned nothing" });
    return true;
  },
  "bad--play": () => {
    channel.emit("playFunctionThrewException", { name: "Error", message: "no such button" });
    channel.emit("storyThrewException", { name: "Error", message: "a consequence" });
    return true;
  },
  "bad--unhandled": () => channel.emit("unhandledErrorsWhilePlaying", [{ message: "nobody caught me" }]),
  // Locks follow no clock of the page.
  "restless--locks": () => {
    let count = 0;
    const step = () => {
      paint(`turn ${(count += 1)}`);
      navigator.locks.request("turn", () => undefined).then(step);
    };
    step();
  },
  "restless--counter": () => {
    let count = 0;
    const step = () => {
      paint(`frame ${(count += 1)}`);
      requestAnimationFrame(step);
    };
    step();
  },
  "restless--request": () => {
    paint("waits for an answer that never comes");
    fetch("http://127.0.0.1:SILENT");
  },
  "early--repainted-at-once": () => paint("after"),
  "early--repainted-late": () => {
    paint("before");
    afterImage(() => paint("after"));
  },
  "early--scrolled-at-once": () => {
    scroller();
    scrollDown();
  },
  "early--scrolled-late": () => {
    scroller();
    afterImage(scrollDown);
  },
  "early--restyled-at-once": () => {
    paint("styled");
    restyle();
  },
  "early--restyled-late": () => {
    paint("styled");
    afterImage(() => scheduler.postTask(restyle));
  },
  "time--clock": () => paint(new Date().toISOString()),
  "time--chance": () => paint(`${Math.random()} ${Math.random()}`),
  "time--debounce": () => {
    const started = Date.now();
    const look = () => (Date.now() - started < 200 ? setTimeout(look, 200) : paint("200 ms are over"));
    paint("waiting");
    setTimeout(look, 200);
  },
  "time--over": () => paint("200 ms are over"),
  "time--waits-busily": () => {
    const started = Date.now();
    while (Date.now() - started < 300);
    paint("done waiting");
  },
  "size--tall": () => {
    root.innerHTML = '<div style="height: 3000px; background: linear-gradient(red, blue)"></div>';
  },
  "size--endless": () => {
    root.innerHTML = '<div style="height: 40000px">very long</div>';
  },
  "parameters--skipped": () => paint("not to be captured"),
  "parameters--tolerant": () => paint("may differ a little"),
  "outside--image": () => {
    root.innerHTML = '<img alt="from outside" width="50" height="50" src="http://outside.example/image.png">';
  },
  "animated--finite": () => {
    root.innerHTML = '<div style="width: 50px; height: 50px; background: green"></div>';
    root.firstChild.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 60000, fill: "both" });
  },
  "animated--infinite": () => {
    root.innerHTML = '<div style="width: 50px; height: 50px; background: green"></div>';
    root.firstChild.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 60000, iterations: Infinity });
  },
};

const parameters = {
  "parameters--skipped": { skip: true },
  "parameters--tolerant": { threshold: 0.3 },
};

start((id) => {
  if (id in stories) render(id, stories[id], { visualReview: parameters[id] });
  else channel.emit("storyMissing", id);
});
