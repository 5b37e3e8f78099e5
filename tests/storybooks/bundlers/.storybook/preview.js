import "../src/base.css";

export default { parameters: { layout: "padded" } };
