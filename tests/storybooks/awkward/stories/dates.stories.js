import { add, show } from "./show.js";

export default { title: "Dates" };

export const NewDate = show((root, print) => print(new Date().toISOString()));
export const DateNow = show((root, print) => print(Date.now()));
export const DateAsFunction = show((root, print) => print(Date()));
export const DateSubclass = show((root, print) => {
  class Day extends Date {}
  print(new Day().toISOString(), new Day() instanceof Date);
});
export const IntlFormat = show((root, print) => {
  const format = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" });
  print(format.format(), "|", format.formatToParts().map((part) => part.value).join(""));
});
export const TemporalNow = show((root, print) => {
  const now = globalThis.Temporal?.Now;
  print(now ? [now.instant(), now.plainTimeISO(), now.plainDateISO(), now.zonedDateTimeISO()].join(" ") : "none");
});
export const LastModified = show((root, print) => print(document.lastModified));
export const PerformanceNow = show((root, print) => print(performance.now(), performance.timeOrigin));
export const MarksAndMeasures = show((root, print) => {
  const mark = performance.mark("start");
  const measure = performance.measure("whole", "start");
  print(mark.startTime, measure.startTime, measure.duration);
  performance.clearMarks();
  performance.clearMeasures();
});
export const EventTimes = show((root, print) => {
  root.addEventListener("made", (event) => print(event.timeStamp));
  root.dispatchEvent(new Event("made"));
});
export const TimelineTime = show((root, print) => print(document.timeline.currentTime));
export const FileTimes = show((root, print) => print(new File(["x"], "x.txt").lastModified));
export const ClockEverySecond = show((root, print) => {
  const tick = () => print(new Date().toLocaleTimeString());
  tick();
  setInterval(tick, 1000);
});
export const StopwatchOfFrames = show((root, print) => {
  const start = performance.now();
  const tick = () => {
    print((performance.now() - start).toFixed(2));
    requestAnimationFrame(tick);
  };
  tick();
});
export const FrameTimes = show((root, print) => {
  const times = [];
  const tick = (time) => {
    times.push(time.toFixed(1));
    print(times.join(" "));
    if (times.length < 12) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
});
export const BusyWait = show((root, print) => {
  const start = Date.now();
  while (Date.now() - start < 120);
  print("waited", Date.now() - start);
});
export const InAFrame = show((root) => {
  const frame = add(root, "iframe", {}, "width: 100%; height: 80px");
  frame.srcdoc = "<script>document.write(new Date().toISOString(), ' ', Date.now(), ' ', Math.random())<\/script>";
});
export const RelativeTime = show((root, print) => {
  const then = new Date("2023-12-24T18:00:00Z");
  const days = Math.round((then - new Date()) / 86_400_000);
  print(new Intl.RelativeTimeFormat("en").format(days, "day"));
});
