// The script of every page.

import "./menus.js";
import { enableSearchKeys } from "./search_key.js";
import { showCurrentTabs } from "./tabs.js";
import { enableThemeSwitches } from "./theme.js";
import { showLocalTimes } from "./times.js";
import { enableTooltips } from "./tooltips.js";

showCurrentTabs();
showLocalTimes();
setInterval(showLocalTimes, 60_000);
enableThemeSwitches();
enableTooltips();
enableSearchKeys();
