// Every clock of the page shows the page time: a fixed instant, advanced by the virtual clock.
(() => {
  const shared = globalThis.__visualReview;
  const instant = SETTINGS.instant;
  const RealDate = Date;
  const now = () => instant + Math.floor(shared.read());
  const sinceOrigin = () => shared.origin + shared.read();
  const getter = (owner, name, get) => {
    if (owner && name in owner) Object.defineProperty(owner, name, { configurable: true, enumerable: true, get });
  };

  RealDate.now = now;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length ? args : [now()], newTarget),
    apply: () => new RealDate(now()).toString(),
  });
  RealDate.prototype.constructor = globalThis.Date;

  performance.now = sinceOrigin;
  getter(performance, "timeOrigin", () => instant - shared.origin);
  const { mark, measure } = performance;
  performance.mark = (name, options) => mark.call(performance, name, { startTime: sinceOrigin(), ...options });
  performance.measure = (name, start, end) =>
    start && typeof start === "object"
      ? measure.call(performance, name, start)
      : measure.call(performance, name, { start: start ?? 0, end: end ?? sinceOrigin() });

  const eventTimes = new WeakMap();
  getter(globalThis.Event?.prototype, "timeStamp", function () {
    if (!eventTimes.has(this)) eventTimes.set(this, sinceOrigin());
    return eventTimes.get(this);
  });
  const timelineTime = Object.getOwnPropertyDescriptor(globalThis.AnimationTimeline?.prototype ?? {}, "currentTime")?.get;
  getter(globalThis.AnimationTimeline?.prototype, "currentTime", function () {
    return this === document.timeline ? sinceOrigin() : timelineTime.call(this);
  });

  const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format").get;
  getter(Intl.DateTimeFormat.prototype, "format", function () {
    const bound = format.call(this);
    return (date) => bound(date === undefined ? now() : date);
  });
  const { formatToParts } = Intl.DateTimeFormat.prototype;
  Intl.DateTimeFormat.prototype.formatToParts = function (date) {
    return formatToParts.call(this, date === undefined ? now() : date);
  };

  const temporalNow = globalThis.Temporal?.Now;
  if (temporalNow) {
    const at = () => Temporal.Instant.fromEpochMilliseconds(now());
    const zoned = (zone = temporalNow.timeZoneId()) => at().toZonedDateTimeISO(zone);
    Object.assign(temporalNow, {
      instant: at,
      zonedDateTimeISO: zoned,
      plainDateTimeISO: (zone) => zoned(zone).toPlainDateTime(),
      plainDateISO: (zone) => zoned(zone).toPlainDate(),
      plainTimeISO: (zone) => zoned(zone).toPlainTime(),
    });
  }

  const two = (number) => String(number).padStart(2, "0");
  getter(globalThis.Document?.prototype, "lastModified", () => {
    const date = new RealDate(instant);
    const day = `${two(date.getMonth() + 1)}/${two(date.getDate())}/${date.getFullYear()}`;
    return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  });
  if (globalThis.File) {
    globalThis.File = new Proxy(globalThis.File, {
      construct: (target, [parts, name, options], newTarget) =>
        Reflect.construct(target, [parts, name, { lastModified: now(), ...options }], newTarget),
    });
  }

  // Otherwise, these wait by the browser's own clock.
  if (globalThis.AbortSignal?.timeout) {
    AbortSignal.timeout = (milliseconds) => {
      const controller = new AbortController();
      const error = new DOMException("signal timed out", "TimeoutError");
      setTimeout(() => controller.abort(error), milliseconds);
      return controller.signal;
    };
  }
  const postTask = globalThis.scheduler?.postTask;
  if (postTask) {
    Object.getPrototypeOf(globalThis.scheduler).postTask = function (callback, options = {}) {
      const { delay, ...rest } = options;
      if (!delay) return postTask.call(this, callback, rest);
      const waited = new Promise((done) => setTimeout(done, delay));
      return waited.then(() => postTask.call(this, callback, rest));
    };
  }
})();
