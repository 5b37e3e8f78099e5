export const text = "the module has run";
