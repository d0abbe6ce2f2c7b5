// The phone as a pad: Web NFC, which Chrome on Android has. A sticker's id goes to the table, and is shown and kept nowhere here.
import { ask, at } from "./common.js";

export const canRead = () => "NDEFReader" in window;

async function tell(tag, where) {
  const answer = await ask("/tap", { method: "POST", body: JSON.stringify({ tag, where }) });
  if (!answer.ok) throw new Error(String(answer.status));
  at("pad-said").textContent = (await answer.json()).words;
}

// Let a button begin the reading: browsers ask the person before they do. `where` says for what a card is held to the phone.
export function offerPad(where) {
  const failed = () => { at("pad-said").textContent = at("pad-said").dataset.failed; };
  at("pad-start").onclick = async () => {
    try {
      const reader = new NDEFReader();
      await reader.scan();
      reader.onreading = ({ serialNumber }) => tell(serialNumber, where()).then(() => navigator.vibrate?.(80), failed);
      reader.onreadingerror = failed;
      at("pad-start").hidden = true;
      await tell("", where());
    } catch {
      failed();
    }
  };
}
