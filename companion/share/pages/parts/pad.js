// Enrolment: a phone reads one sticker after another.
import { at, html, render, theme, words } from "./draw.js";
import { Reader } from "./nfc.js";
import { follow } from "./session.js";

theme();
follow({
  ready: () => render(html`<main><h1>${words.pad_title}</h1><p>${words.pad_why}</p><section id="pad"><${Reader} where=${() => "up"}/></section></main>`, at("page")),
});
