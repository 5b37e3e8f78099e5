import "./style-rules.css";

export default {};
