// Enrolment: a phone reads one sticker after another.
import { at, enter, theme, trouble } from "./common.js";
import { canRead, offerPad } from "./nfc.js";

theme();
if (!(await enter())) {
  trouble(document.body.dataset.noLink);
  at("pad-start").disabled = true;
} else if (canRead()) offerPad(() => "up");
else {
  at("pad-start").disabled = true;
  at("pad-said").textContent = at("pad-said").dataset.failed;
}
