// The variants of screenshots, as the service knows them. Generated from the service's variants.py
// by `python -m scripts.generate_docs`; do not edit.

/** The viewports in which stories are captured, in CSS pixels. */
export const VIEWPORTS = {
  "phone": {
    "width": 390,
    "height": 844
  },
  "tablet": {
    "width": 820,
    "height": 1180
  },
  "desktop": {
    "width": 1440,
    "height": 900
  }
} as const;

export type Theme = "light" | "dark";
export type Device = keyof typeof VIEWPORTS;
