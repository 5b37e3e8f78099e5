// Times in the reader's own time zone. The server writes them in UTC and in the same format, of
// the same number of characters, so that nothing moves.

import { findAll } from "./elements.js";

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** @typedef {"day" | "minute" | "second"} Precision */

/** @param {number} number */
function twoDigits(number) {
  return String(number).padStart(2, "0");
}

/**
 * Return a time of the local time zone, such as "03 Nov 2026, 14:05".
 *
 * @param {Date} moment
 * @param {Precision} precision
 */
export function formatTime(moment, precision) {
  const day = `${twoDigits(moment.getDate())} ${MONTHS[moment.getMonth()]} ${moment.getFullYear()}`;
  if (precision === "day") {
    return day;
  }
  const minute = `${day}, ${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`;
  return precision === "minute" ? minute : `${minute}:${twoDigits(moment.getSeconds())}`;
}

/**
 * Return a time element of a page that is built by a script, like those of the server.
 *
 * @param {string} iso
 * @param {Precision} [precision]
 */
export function createTime(iso, precision = "minute") {
  const element = document.createElement("time");
  element.dateTime = iso;
  element.dataset.precision = precision;
  element.title = `${new Date(iso).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  showLocalTime(element);
  return element;
}

/** @param {HTMLTimeElement} element */
function showLocalTime(element) {
  const moment = new Date(element.dateTime);
  if (!Number.isNaN(moment.valueOf())) {
    element.textContent = formatTime(moment, readPrecision(element));
  }
}

/**
 * @param {HTMLTimeElement} element
 * @returns {Precision}
 */
function readPrecision(element) {
  const precision = element.dataset.precision;
  return precision === "day" || precision === "second" ? precision : "minute";
}

/** Show all times of this page in the local time zone. */
export function showLocalTimes() {
  for (const element of findAll("time[data-precision]", HTMLTimeElement)) {
    showLocalTime(element);
  }
}
