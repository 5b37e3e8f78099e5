// Times relative to now, or in the reader's own time zone. The server writes times in the same
// words, or in UTC with the same number of characters, so that nothing moves.

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

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const LONGEST = 30 * DAY;
/** @type {readonly [string, number][]} */
const UNITS = [["day", DAY], ["hour", 60 * MINUTE], ["minute", MINUTE]];

/**
 * Return for example "3 hours ago", or the day of a more distant moment.
 *
 * @param {Date} moment
 * @param {Date} now
 */
export function formatRelative(moment, now) {
  const seconds = (now.valueOf() - moment.valueOf()) / 1000;
  if (Math.abs(seconds) > LONGEST) {
    return formatTime(moment, "day");
  }
  for (const [unit, length] of UNITS) {
    const count = Math.floor(Math.abs(seconds) / length);
    if (count > 0) {
      const text = `${count} ${unit}${count > 1 ? "s" : ""}`;
      return seconds > 0 ? `${text} ago` : `in ${text}`;
    }
  }
  return "just now";
}

/**
 * Return a time element for a page that is built by a script, like the server's.
 *
 * @param {string} iso
 * @param {Precision} [precision]
 */
export function createTime(iso, precision = "minute") {
  const element = document.createElement("time");
  element.dateTime = iso;
  element.dataset.precision = precision;
  showLocalTime(element);
  return element;
}

/** @param {HTMLTimeElement} element */
function showLocalTime(element) {
  const moment = new Date(element.dateTime);
  if (!Number.isNaN(moment.valueOf())) {
    const precision = readPrecision(element);
    const isRelative = precision === "minute";
    element.textContent = isRelative ? formatRelative(moment, new Date()) : formatTime(moment, precision);
    if (isRelative) {
      element.title = formatTime(moment, "second");
    }
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

/** Show all times of the page in the local time zone. */
export function showLocalTimes() {
  for (const element of findAll("time[data-precision]", HTMLTimeElement)) {
    showLocalTime(element);
  }
}
