import { paint, render, start } from "./channel.js";

start((id) => render(id, () => paint('<div class="box"></div>')));
