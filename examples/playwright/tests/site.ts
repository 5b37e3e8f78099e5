import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

/** Returns the URL of a page of the site. */
export function urlOf(page: string): string {
  return `${pathToFileURL(resolve("site/index.html")).href}#${encodeURIComponent(page)}`;
}
