import "./preference.css";

export default {};
