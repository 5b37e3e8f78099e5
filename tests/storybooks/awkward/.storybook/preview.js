export default { parameters: { backgrounds: { disable: true }, layout: "padded" } };
