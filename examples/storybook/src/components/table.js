import "./table.css";
import { each } from "../foundation/element.js";

/** On a phone each row becomes a small card, its cells named by their columns. */
export function table(columns, rows) {
  const cell = (value, index) => `<td data-label="${columns[index]}"><span>${value}</span></td>`;
  return `
    <div class="table-frame">
      <table class="table">
        <thead><tr>${each(columns, (name) => `<th>${name}</th>`)}</tr></thead>
        <tbody>${each(rows, (row) => `<tr>${each(row, cell)}</tr>`)}</tbody>
      </table>
    </div>`;
}
