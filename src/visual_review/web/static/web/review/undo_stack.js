// Decisions that can be undone, newest last. The server names a decision when it confirms it.

/** @import { Effect, QueueEntry } from "./decision_queue.js" */

/**
 * @typedef {object} UndoStep
 * @property {string} requestId
 * @property {string} decisionId Empty until the server has confirmed it.
 * @property {Effect[]} effects
 * @property {Effect[]} before
 * @property {string} label
 * @property {string} place The reader's screenshot at the time.
 */

/** @typedef {readonly UndoStep[]} UndoSteps */

const MOST_STEPS = 200;

/**
 * @param {UndoSteps} steps
 * @param {QueueEntry} entry
 * @param {string} place
 * @returns {UndoSteps}
 */
export function pushStep(steps, entry, place) {
  const { requestId, decisionId, effects, before, label } = entry;
  return [...steps, { requestId, decisionId, effects, before, label, place }].slice(-MOST_STEPS);
}

/**
 * The server has the decision: name the step, or remove one that cannot be undone.
 * @param {UndoSteps} steps
 * @param {string} requestId
 * @param {string} decisionId
 * @param {boolean} isUndoable
 * @returns {UndoSteps}
 */
export function confirmStep(steps, requestId, decisionId, isUndoable) {
  if (!isUndoable) {
    return removeStep(steps, requestId);
  }
  return steps.map((step) => (step.requestId === requestId ? { ...step, decisionId } : step));
}

/**
 * @param {UndoSteps} steps
 * @param {string} requestId
 * @returns {UndoSteps}
 */
export function removeStep(steps, requestId) {
  return steps.filter((step) => step.requestId !== requestId);
}

/**
 * Read the steps kept over a reload.
 * @param {string | null} text
 * @returns {UndoSteps}
 */
export function parseSteps(text) {
  try {
    const value = /** @type {unknown} */ (JSON.parse(text ?? "[]"));
    return Array.isArray(value) ? value.filter(isStep) : [];
  } catch (error) {
    if (error instanceof SyntaxError) {
      return [];
    }
    throw error;
  }
}

/**
 * @param {unknown} value
 * @returns {value is UndoStep}
 */
function isStep(value) {
  const step = /** @type {Partial<UndoStep> | null} */ (value);
  return typeof step?.requestId === "string" && Array.isArray(step.effects) && Array.isArray(step.before);
}
