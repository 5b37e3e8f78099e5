// Time limits independent of the load on the machine: only the time usable by the page counts.
(() => {
  const shared = window.__visualReview;
  const tick = 100;
  // This part of a limit counts in full and costs nothing; nearly all stories are quiet by its end.
  const unmeasured = 1 / 4;
  // Takes about a millisecond on a free core; more than `usual` means that no core is free.
  const rounds = 200_000;
  const usual = 5;
  let result = 0;

  // Returns the page's share of a core, at most 1.
  const share = () => {
    const started = shared.time();
    let sum = result;
    for (let round = 0; round < rounds; round += 1) sum = (sum + Math.imul(round, 31)) | 0;
    result = sum;
    return Math.min(1, usual / Math.max(shared.time() - started, 1));
  };

  class Limit {
    expired = false;
    #milliseconds;
    #started = shared.time();
    #counted = null;
    #isDone = false;

    constructor(milliseconds) {
      this.#milliseconds = milliseconds;
      this.ends = this.#count();
    }

    async #count() {
      await shared.wait(this.#milliseconds * unmeasured);
      this.#counted = this.#milliseconds * unmeasured;
      while (!this.#isDone && this.left() > 0) {
        const before = shared.time();
        await shared.wait(tick);
        // A late tick counts less: scripts were running, or the page had no core.
        const onTime = Math.min(1, (1.5 * tick) / (shared.time() - before));
        this.#counted += tick * onTime * share();
      }
      this.expired = true;
    }

    left() {
      const passed = this.#counted ?? Math.min(shared.time() - this.#started, this.#milliseconds * unmeasured);
      return Math.max(0, this.#milliseconds - passed);
    }

    // Stops counting.
    end() {
      this.#isDone = true;
    }
  }

  Object.assign(shared, { share, limit: (milliseconds) => new Limit(milliseconds) });
})();
