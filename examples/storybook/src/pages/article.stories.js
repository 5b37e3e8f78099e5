import "./article.css";
import island from "../assets/island.svg";
import lighthouse from "../assets/lighthouse.svg";
import sails from "../assets/sails.svg";
import { header } from "../components/header.js";
import { chapters } from "./article.text.js";

export default { title: "Pages/Article", parameters: { layout: "fullscreen" } };

const pictures = [lighthouse, sails, island];

const chapter = ({ title, paragraphs }, index) => `
  <h2>${title}</h2>
  ${paragraphs.map((text) => `<p>${text}</p>`).join("")}
  <img class="article__picture" src="${pictures[index % 3]}" alt="" width="400" height="240"
    loading="lazy">`;

/** Several screens long, with pictures that load late. */
export const Long = () => `
  <div>
    ${header()}
    <article class="article"><h1>A year at the harbour</h1>${chapters.map(chapter).join("")}</article>
  </div>`;
