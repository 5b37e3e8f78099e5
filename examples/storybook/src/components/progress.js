import "./progress.css";

export const progress = (label, percent) => `
  <div class="stack" style="gap: 6px">
    <div class="row" style="justify-content: space-between">
      <span>${label}</span><code>${percent} %</code>
    </div>
    <div class="progress" role="progressbar" aria-label="${label}" aria-valuenow="${percent}">
      <div class="progress__fill" style="width: ${percent}%"></div>
    </div>
  </div>`;
