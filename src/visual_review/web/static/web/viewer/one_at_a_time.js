// Runs tasks that need much memory one after the other.

export class OneAtATime {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * Run a task when all earlier ones have ended, however they ended.
   *
   * @template T
   * @param {() => Promise<T>} task
   * @returns {Promise<T>}
   */
  run(task) {
    const result = this.#last.then(task, task);
    // The caller handles a failure; the next task only waits.
    this.#last = result.catch(() => null);
    return result;
  }
}
