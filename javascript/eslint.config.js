import js from "@eslint/js";

// The types are the compiler's job; these rules are about errors it does not see, and about size.
const RULES = {
  ...js.configs.recommended.rules,
  "no-undef": "off",
  "no-unused-vars": "off",
  complexity: ["error", 12],
  curly: "error",
  eqeqeq: "error",
  "func-style": ["error", "declaration", { allowArrowFunctions: true }],
  "max-depth": ["error", 3],
  "max-lines": ["error", 400],
  "max-lines-per-function": ["error", 50],
  "max-params": ["error", 5],
  "no-alert": "error",
  "no-console": "error",
  "no-else-return": "error",
  "no-eval": "error",
  "no-implicit-coercion": "error",
  "no-param-reassign": "error",
  "no-restricted-properties": [
    "error",
    { property: "innerHTML", message: "Text of users would become markup." },
    { property: "outerHTML", message: "Text of users would become markup." },
    { property: "insertAdjacentHTML", message: "Text of users would become markup." },
  ],
  "no-shadow": "error",
  "no-throw-literal": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  { files: ["src/visual_review/web/static/web/**/*.js", "javascript/*.js"], rules: RULES },
  {
    files: ["tests/javascript/**/*.js"],
    rules: { ...RULES, "max-lines": ["error", 600], "max-lines-per-function": "off" },
  },
];
