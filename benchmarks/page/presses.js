// Count the presses of E until each part of each screenshot was in view: what the viewer itself does.

import { readFileSync } from "node:fs";

import { visibleBox } from "../../src/visual_review/web/static/web/viewer/camera.js";
import { cameraOfRests, openingCamera } from "../../src/visual_review/web/static/web/viewer/opening.js";
import { PartsInView } from "../../src/visual_review/web/static/web/viewer/parts_in_view.js";

const { view, screenshots } = JSON.parse(readFileSync(0, "utf8"));

/** @param {{size: {width: number, height: number}, changes: never[]}} screenshot */
function countPresses({ size, changes }) {
  const seen = new PartsInView();
  seen.open("", changes);
  let camera = openingCamera(view, size, seen.partsOf(""));
  for (let presses = 0; ; presses += 1) {
    seen.look("", visibleBox(camera, view), camera.zoom);
    const rests = seen.restOf("");
    if (rests.length === 0) {
      return presses;
    }
    camera = cameraOfRests(view, size, rests);
  }
}

process.stdout.write(JSON.stringify(screenshots.map(countPresses)));
