// The style sheet of the viewer, which works without the page's. Every color, size and font is one of
// the tokens at the beginning; each follows the page's token of the same name, if any.

import { BARS } from "./bar_styles.js";
import { ABOVE_IMAGES, STAGE } from "./stage_styles.js";

const TOKENS = `
:host {
  --viewer-surface: var(--surface, light-dark(#ffffff, #161b22));
  --viewer-sunken: var(--sunken, light-dark(#eef0f3, #0c0f13));
  --viewer-hover: var(--hover, light-dark(#f0f2f5, #1e252e));
  --viewer-border: var(--border, light-dark(#dce0e6, #2b333e));
  --viewer-control: var(--border-control, light-dark(#7b8593, #6e7987));
  --viewer-text: var(--text, light-dark(#1a1f27, #e7ebf0));
  --viewer-muted: var(--muted, light-dark(#56606d, #9aa5b3));
  --viewer-selected: var(--info-ground, light-dark(#e8f1fd, #14273f));
  --viewer-selected-text: var(--info-text, light-dark(#084a9e, #9cc7ff));
  --viewer-warn: var(--warn-ground, light-dark(#fdf1d8, #2e2310));
  --viewer-warn-text: var(--warn-text, light-dark(#7d4a00, #f2c572));
  --viewer-focus: var(--focus, light-dark(#0a5fd1, #75b0ff));
  --viewer-mark: var(--image-mark, #e6007a);
  --viewer-halo: var(--image-mark-halo, #ffffff);
  --viewer-moved: var(--image-moved, #0a84ff);
  --viewer-region: var(--image-region, #8a6d00);
  --viewer-checker: var(--checker, light-dark(#ffffff, #2a2f36));
  --viewer-checker-other: var(--checker-other, light-dark(#e2e5ea, #1d2127));
  --viewer-sheet: var(--hover, light-dark(#f0f2f5, #1e252e));
  --viewer-grid: rgb(128 128 128 / 40%);
  --viewer-shadow: var(--shadow-raised, 0 8px 24px rgb(0 0 0 / 25%));
  --viewer-font: var(--font, system-ui, sans-serif);
  --viewer-mono: var(--font-mono, ui-monospace, monospace);
  --viewer-text-size: var(--text-small, 0.8125rem);
  --viewer-radius: var(--radius, 6px);
  --target: 2rem;
}

@media (pointer: coarse) {
  :host {
    --target: 2.75rem;
  }
}
`;

const FRAME = `
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }

:host {
  display: block;
  block-size: 100%;
  min-block-size: 16rem;
  min-inline-size: 0;
  container: viewer / inline-size;
  overflow: hidden;
  background: var(--viewer-sunken);
  color: var(--viewer-text);
  font: var(--viewer-text-size) / 1.4 var(--viewer-font);
}

:host([hidden]) { display: none; }

/* Not the host: a rule of the page for the element would win over this one. */
.viewer {
  display: grid;
  grid-template-rows: auto minmax(0, 1fr) auto;
  block-size: 100%;
  min-block-size: inherit;
}

.bar { grid-row: 1; }
.viewer > .stage { grid-row: 2; }
.change-bar { grid-row: 3; }

:focus-visible { outline: 2px solid var(--viewer-focus); outline-offset: -2px; }

.visually-hidden {
  position: absolute;
  inline-size: 1px;
  block-size: 1px;
  margin: 0;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

.palette {
  position: absolute;
  visibility: hidden;
  border-block-start: 0 solid var(--viewer-checker-other);
  outline: 0 solid var(--viewer-grid);
  background: var(--viewer-checker);
  color: var(--viewer-sheet);
}
`;

/** Make the style sheet of all viewers of a document. */
export function makeStyleSheet() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([TOKENS, FRAME, BARS, STAGE, ABOVE_IMAGES].join("\n"));
  return sheet;
}
