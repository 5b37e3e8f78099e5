import "../stories/preview.css";

export default { parameters: { backgrounds: { disable: true }, layout: "padded" } };
