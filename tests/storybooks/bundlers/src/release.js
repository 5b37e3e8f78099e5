// What only variables of the build say.
export const release = process.env.STORYBOOK_COMMIT;
