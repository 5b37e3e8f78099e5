import { withThemeByClassName } from "@storybook/addon-themes";
import "./class.css";

export default {
  decorators: [withThemeByClassName({ themes: { Day: "", Night: "night" }, defaultTheme: "Day" })],
};
