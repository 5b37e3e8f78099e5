import { createElement, useEffect, useState } from "react";

export function Greeting() {
  const [text, setText] = useState("");
  useEffect(() => {
    fetch("./locales/en.json")
      .then((response) => response.json())
      .then((locale) => setText(locale.greeting));
  }, []);
  return createElement("p", null, text);
}
