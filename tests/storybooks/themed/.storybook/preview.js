export { default } from "the-way";
