// What every page does.

import "./menus.js";
import { enableThemeSwitches } from "./theme.js";
import { showLocalTimes } from "./times.js";
import { enableTooltips } from "./tooltips.js";

showLocalTimes();
enableThemeSwitches();
enableTooltips();
