import "./pagination.css";

/** Pages more than one away from the current one are left out on phones. */
export function pagination(current, last) {
  const page = (number) => {
    const mark = number === current ? "pagination__page--current" : "";
    const far = Math.abs(number - current) > 1 ? "pagination__page--far" : "";
    return `<li class="pagination__page ${mark} ${far}">${number}</li>`;
  };
  const pages = Array.from({ length: last }, (_, index) => page(index + 1)).join("");
  return `<ol class="pagination">
    <li class="pagination__page">‹</li>${pages}<li class="pagination__page">›</li>
  </ol>`;
}
