import { choice, select, textArea, textField, toggle } from "./fields.js";

export default { title: "Forms/Fields" };

export const States = () => `
  <div class="stack" style="max-width: 460px">
    ${textField("Name of the boat", { placeholder: "Annabel" })}
    ${textField("Length", { value: "9.4", hint: "Over all, in metres." })}
    ${textField("Draught", { value: "deep", wrong: true, hint: "Give a number such as 1.8." })}
    ${textField("Home port", { value: "Skagen", disabled: true })}
    ${select("Kind", ["Sailing boat", "Motor boat", "Dinghy"])}
    ${textArea("Note to the harbour master", "Arriving late, about 22:30.\nTwo adults, one dog.")}
  </div>`;

export const Choices = () => `
  <div class="stack">
    ${choice("checkbox", "Shore power", { checked: true })}
    ${choice("checkbox", "Fresh water")}
    ${choice("radio", "North quay", { checked: true, name: "quay" })}
    ${choice("radio", "South quay", { name: "quay" })}
    ${toggle("Tell me about gales", true)}
    ${toggle("Tell me about regattas", false)}
  </div>`;
