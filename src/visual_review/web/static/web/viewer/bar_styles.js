// The styles of the toolbar and of the line of changes; see styles.js.

export const BARS = `
.bar {
  display: flex;
  align-items: center;
  gap: 0.75rem;
  block-size: 2.75rem;
  min-inline-size: 0;
  padding-inline: 0.5rem;
  border-block-end: 1px solid var(--viewer-border);
  background: var(--viewer-surface);
}

::slotted([slot="title"]) { flex: 1; min-inline-size: 0; }
.toolbar { display: flex; flex: none; align-items: center; gap: 0.625rem; margin-inline-start: auto; }

.change-bar {
  display: flex;
  align-items: center;
  gap: 0.75rem;
  block-size: 1.75rem;
  min-inline-size: 0;
  padding-inline: 0.5rem;
  border-block-start: 1px solid var(--viewer-border);
  background: var(--viewer-surface);
}

.group { display: flex; align-items: center; gap: 0.125rem; }

button, select {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.375rem;
  min-inline-size: var(--target);
  block-size: var(--target);
  padding: 0 0.375rem;
  border: 1px solid transparent;
  border-radius: var(--viewer-radius);
  background: none;
  color: inherit;
  font: inherit;
  white-space: nowrap;
  cursor: pointer;
}

select { border-color: var(--viewer-control); background: var(--viewer-surface); }
.text-button { padding-inline: 0.5rem; }
button:hover:not(:disabled) { background: var(--viewer-hover); }
button:disabled, select:disabled { color: var(--viewer-muted); opacity: 0.55; cursor: default; }

button[aria-pressed="true"] {
  border-color: currentcolor;
  background: var(--viewer-selected);
  color: var(--viewer-selected-text);
}

.icon {
  flex: none;
  inline-size: 1rem;
  block-size: 1rem;
  fill: none;
  stroke: currentcolor;
  stroke-width: 1.5;
  stroke-linecap: round;
  stroke-linejoin: round;
}


.mode-controls { display: flex; block-size: var(--target); }
.mode-control { display: flex; align-items: center; gap: 0.375rem; color: var(--viewer-muted); }
.mode-control button { border-color: var(--viewer-control); color: var(--viewer-text); }
input[type="range"] { inline-size: 7rem; block-size: var(--target); accent-color: var(--viewer-focus); }

.change { flex: 1; min-inline-size: 0; margin: 0; overflow: hidden; }
.change { white-space: nowrap; text-overflow: ellipsis; }
.change > :not(:empty) { margin-inline-end: 0.5rem; }
.change-position { min-inline-size: 3.5rem; text-align: center; font-variant-numeric: tabular-nums; }
.change-seen { flex: none; min-inline-size: 9rem; text-align: end; color: var(--viewer-muted); font-variant-numeric: tabular-nums; }
.change-text { color: var(--viewer-muted); }

.change-kind {
  padding: 0.0625rem 0.5rem;
  border-radius: 99px;
  background: var(--viewer-warn);
  color: var(--viewer-warn-text);
  font-weight: var(--weight-strong);
  text-transform: capitalize;
}

.swatch {
  display: inline-block;
  inline-size: 0.875em;
  block-size: 0.875em;
  margin-inline: 0.125rem;
  border: 1px solid var(--viewer-control);
  border-radius: 2px;
  vertical-align: -0.1em;
  forced-color-adjust: none;
}

.narrow { display: none; }
.zoom-select { inline-size: 5.25rem; }
.mode-select { inline-size: 7rem; }

@container viewer (max-width: 62rem) {
  .wide { display: none; }
  .narrow { display: inline-block; }
}

@container viewer (max-width: 36rem) {
  .bar { gap: 0.25rem; block-size: 3rem; padding-inline: 0.25rem; }
  .toolbar { gap: 0.125rem; }
  .spare { display: none; }
  .mode-select { inline-size: 5.5rem; }
  .change-bar { padding-inline: 0.5rem; }
}
`;
