// Random numbers start equal for every story.
(() => {
  const shared = globalThis.__visualReview;
  const start = 0x2f6e2b1;
  let seed = start;

  // Mulberry32 by Tommy Ettinger (public domain).
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  Math.random = random;

  const prototype = globalThis.Crypto?.prototype;
  if (prototype) {
    const real = prototype.getRandomValues;
    // The browser's own function is called first: the page must see the browser's errors.
    prototype.getRandomValues = function (array) {
      real.call(this, array);
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = random() * 256;
      return array;
    };
    prototype.randomUUID = function () {
      const bytes = this.getRandomValues(new Uint8Array(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    };
  }

  // Called at the beginning of a story: however many numbers loading has used, and however long
  // loading took.
  shared.reseed = (isRendering = false) => {
    seed = start;
    shared.rewind(isRendering);
  };
  shared.reset = () => {
    shared.resume();
    shared.reseed();
  };
})();
