// The styles of the panes and of the elements above the images; see styles.js.

export const STAGE = `
.stage {
  position: relative;
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  min-block-size: 0;
  overflow: hidden;
}

.area { position: relative; display: grid; min-block-size: 0; min-inline-size: 0; }

.panes {
  display: grid;
  grid-template: minmax(0, 1fr) / minmax(0, 1fr);
  gap: 1px;
  min-block-size: 0;
  background: var(--viewer-border);
  cursor: grab;
  touch-action: none;
  user-select: none;
}

.panes.dragging { cursor: grabbing; }
/* Whole pixels, so that both sides are equally sharp. */
.panes.double { grid-template-columns: round(down, calc(50% - 0.5px), 1px) minmax(0, 1fr); }

.panes.stacked {
  grid-template: round(down, calc(50% - 0.5px), 1px) minmax(0, 1fr) / minmax(0, 1fr);
}

.pane {
  display: grid;
  grid-template-rows: minmax(0, 1fr) auto;
  min-inline-size: 0;
  min-block-size: 0;
  background: var(--viewer-sunken);
}

.pane-title {
  display: flex;
  gap: 0.5rem;
  align-items: baseline;
  overflow: hidden;
  padding: 0.125rem 0.5rem;
  background: var(--viewer-surface);
  white-space: nowrap;
  cursor: default;
}

.pane-name { overflow: hidden; font-weight: var(--weight-strong); text-overflow: ellipsis; }
.pane-size { color: var(--viewer-muted); font-variant-numeric: tabular-nums; }
.pane-size.differs { color: var(--viewer-warn-text); font-weight: var(--weight-strong); }

.view { position: relative; min-inline-size: 0; min-block-size: 0; overflow: hidden; }
.view > canvas { position: absolute; inset-block-start: 0; inset-inline-start: 0; }

.pins { position: absolute; inset: 0; overflow: hidden; pointer-events: none; }

.pin {
  position: absolute;
  inset-block-start: -1.5rem;
  inset-inline-start: 0;
  min-inline-size: 1.5rem;
  min-block-size: 1.5rem;
  padding: 0 0.25rem;
  border: 2px solid var(--viewer-surface);
  border-radius: 0.75rem 0.75rem 0.75rem 0;
  background: var(--viewer-text);
  color: var(--viewer-surface);
  font-weight: var(--weight-strong);
  pointer-events: auto;
}

:host([picking]) .panes { cursor: crosshair; }

.notice {
  position: absolute;
  inset: 0;
  display: grid;
  place-content: center;
  justify-items: center;
  gap: 0.5rem;
  padding: 1rem;
  text-align: center;
  pointer-events: none;
}

.notice-text {
  max-inline-size: 24rem;
  margin: 0;
  padding: 0.25rem 0.75rem;
  border: 1px solid var(--viewer-border);
  border-radius: var(--viewer-radius);
  background: var(--viewer-surface);
}

.retry { border-color: var(--viewer-control); background: var(--viewer-surface); pointer-events: auto; }

.divider {
  position: absolute;
  inset-block: 0;
  inline-size: var(--target);
  margin-inline-start: calc(var(--target) / -2);
  cursor: ew-resize;
  touch-action: none;
}

.divider::before {
  content: "";
  position: absolute;
  inset-block: 0;
  inset-inline-start: calc(50% - 1px);
  inline-size: 2px;
  background: var(--viewer-mark);
  box-shadow: 0 0 0 1px var(--viewer-halo);
  forced-color-adjust: none;
}

.divider-handle {
  position: absolute;
  inset-block-start: 50%;
  inset-inline-start: calc(50% - 0.75rem);
  inline-size: 1.5rem;
  block-size: 2.5rem;
  border: 2px solid var(--viewer-mark);
  border-radius: 99px;
  background: var(--viewer-surface);
  forced-color-adjust: none;
}

.minimap {
  position: relative;
  min-block-size: 0;
  overflow: hidden;
  border-inline-start: 1px solid var(--viewer-border);
  background: var(--viewer-sunken);
  cursor: pointer;
  touch-action: none;
}

.minimap > * { position: absolute; inset-block-start: 0; inset-inline-start: 0; pointer-events: none; }
.minimap > canvas { inline-size: 100%; block-size: 100%; }
.minimap:focus-visible { outline-offset: -3px; }

.map-mark {
  position: absolute;
  border: 1.5px solid var(--viewer-mark);
  background: color-mix(in srgb, var(--viewer-mark) 30%, transparent);
  forced-color-adjust: none;
}

.map-moved { border-color: var(--viewer-moved); background: none; }
.map-current { outline: 2px solid var(--viewer-mark); outline-offset: 1px; }

.map-visible {
  border: 2px solid var(--viewer-focus);
  background: color-mix(in srgb, var(--viewer-focus) 18%, transparent);
  forced-color-adjust: none;
}
`;

export const ABOVE_IMAGES = `
.outlines {
  position: absolute;
  inset: 0;
  inline-size: 100%;
  block-size: 100%;
  overflow: hidden;
  pointer-events: none;
  forced-color-adjust: none;
}

.outlines.hidden { display: none; }
.outlines :is(.halo, .arrow, .mark:not(.mark-region)) { fill: none; }
.halo { stroke: var(--viewer-halo); stroke-width: 3.5; opacity: 0.85; }
.halo.mark-current { stroke-width: 6; }
.mark { stroke: var(--viewer-mark); stroke-width: 1.5; }
.mark.mark-current { stroke-width: 3; }
.mark-moved-to, .mark-moved-from, .arrow { stroke: var(--viewer-moved); }
.mark-moved-from { stroke-dasharray: 6 4; }
.mark-faint { stroke-dasharray: 1.5 3; }
.arrow { stroke-width: 1.5; }
.arrow.mark-current { stroke-width: 2.5; }
.arrowhead { fill: var(--viewer-moved); }
.outlines .hatch { fill: var(--viewer-region); opacity: 0.35; }
.outlines .hatch-other { fill: var(--viewer-halo); opacity: 0.25; }
.outlines .mark-region { stroke: var(--viewer-region); stroke-dasharray: 4 3; }

.magnifier {
  position: absolute;
  inset-block-start: 0;
  inset-inline-start: 0;
  z-index: 1;
  padding: 0.5rem;
  border: 1px solid var(--viewer-control);
  border-radius: var(--viewer-radius);
  background: var(--viewer-surface);
  box-shadow: var(--viewer-shadow);
  font-family: var(--viewer-mono);
  pointer-events: none;
}

.lenses { display: flex; gap: 0.5rem; }
.lens { display: grid; gap: 0.25rem; }
.lens-name { font: 600 var(--viewer-text-size) var(--viewer-font); }
.lens > canvas { border: 1px solid var(--viewer-border); image-rendering: pixelated; }
.lens-value { min-inline-size: 7rem; white-space: nowrap; }
.lens-place { color: var(--viewer-muted); }

.lens { position: relative; }
.lens::after {
  content: "";
  position: absolute;
  inset-block-start: calc(1.6em + 0.25rem + 45px);
  inset-inline-start: 46px;
  inline-size: 9px;
  block-size: 9px;
  outline: 1px solid var(--viewer-halo);
  border: 1px solid var(--viewer-mark);
}

@media (forced-colors: active) {
  button, select { border-color: ButtonBorder; }
  button[aria-pressed="true"] { background: Highlight; color: HighlightText; forced-color-adjust: none; }
  button:disabled { color: GrayText; opacity: 1; }
}

@media (prefers-reduced-motion: no-preference) {
  .loading .notice-text { animation: pulse 1.2s ease-in-out infinite alternate; }
}

@keyframes pulse { to { opacity: 0.55; } }
`;
