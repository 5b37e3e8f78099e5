/** The variants of screenshots, as the service knows them. */

export type Theme = "light" | "dark";
export type Device = "phone" | "tablet" | "desktop";

/** The viewports in which stories are captured, in CSS pixels. */
export const VIEWPORTS: Readonly<Record<Device, { width: number; height: number }>> = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1440, height: 900 },
};
