import { avatar, avatarGroup } from "./avatar.js";

export default { title: "Content/Avatar" };

export const Group = () => `
  <div class="stack">
    ${avatarGroup(["Ada Holm", "Bo Lind", "Cleo Marsh", "Dan Østergaard", "Eva Skov"])}
    <div class="row">
      ${avatar("Ada Holm", { large: true })}
      <div><strong>Ada Holm</strong><br><span class="soft">Harbour master</span></div>
    </div>
  </div>`;
