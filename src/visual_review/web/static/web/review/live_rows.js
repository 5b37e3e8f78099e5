// Takes over changes at the server, and announces decisions of other reviewers.

import { countOf } from "../navigator/model/names.js";
import { decodeRows } from "../navigator/model/snapshot.js";
import { describeDecider } from "./sentences.js";
import { nameScreenshot } from "./targets.js";

/** @import { Announcer } from "./announcer.js" */
/** @import { DisplayedRows } from "./displayed_rows.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { Screenshot } from "./types.js" */
/** @import { Changes } from "./wire.js" */

export class LiveRows {
  #store;
  #rows;
  #announcer;
  /** @type {Map<string, number>} The revision of the own decision on a screenshot. */
  #decidedAt = new Map();
  /** How many own decisions the server confirmed. */
  revision = 0;

  /**
   * @param {ReviewStore} store
   * @param {DisplayedRows} rows
   * @param {Announcer} announcer
   */
  constructor(store, rows, announcer) {
    this.#store = store;
    this.#rows = rows;
    this.#announcer = announcer;
  }

  /**
   * An own decision about these was confirmed: rows read before are older.
   * @param {readonly string[]} ids
   */
  markDecided(ids) {
    this.revision += 1;
    for (const id of ids) {
      this.#decidedAt.set(id, this.revision);
    }
  }

  /**
   * @param {Changes} changes
   * @param {{isWhole: boolean, revision: number}} read
   */
  apply(changes, { isWhole, revision }) {
    const { snapshot } = this.#store;
    if (!snapshot) {
      return;
    }
    const received = decodeRows(/** @type {any} */ (changes), snapshot);
    const fresh = received.filter(({ id }) => (this.#decidedAt.get(id) ?? 0) <= revision);
    this.#announce(fresh);
    this.#rows.receive(fresh);
    this.#store.setBuild(changes.build);
    if (isWhole) {
      snapshot.cursor = changes.cursor;
    }
  }

  /** @param {readonly Screenshot[]} received */
  #announce(received) {
    const me = this.#store.snapshot?.me.name;
    const foreign = received.filter((each) => each.decidedBy !== "" && each.decidedBy !== me && this.#isOther(each));
    const [first] = foreign;
    if (!first) {
      return;
    }
    const people = [...new Set(foreign.map((each) => each.decidedBy))];
    const text =
      foreign.length === 1
        ? `${nameScreenshot(first)}: ${describeDecider(first.decision, first.decidedBy, first.carriedOver)}`
        : `${people.join(", ")} decided ${countOf(foreign.length, "screenshot")}`;
    this.#announcer.notify(text);
  }

  /** @param {Screenshot} received */
  #isOther(received) {
    const known = this.#rows.confirmed(received.id);
    return known?.decision !== received.decision || known.decidedBy !== received.decidedBy;
  }
}
