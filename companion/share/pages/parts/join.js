// The way in, from a phone: four letters that the laptop shows, then a seat. Nothing else.
import { Mark, at, html, render, theme, words } from "./draw.js";
import { enter, follow, say } from "./session.js";

const LETTERS = 4;
const named = (said, name) => said.replaceAll("{name}", name);

// The place for the letters: the fourth one sends them.
function code(why = "") {
  const type = ({ target }) => {
    target.value = target.value.toUpperCase().replace(/[^A-Z]/g, "");
    if (target.value.length < LETTERS) return;
    target.readOnly = true;
    enter(target.value);
  };
  render(html`<main id="join-code"><h1><label for="code">${words.join_code}</label></h1>
    <input id="code" key=${why} maxlength=${LETTERS} size=${LETTERS} autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck=${false} enterkeyhint="go" aria-describedby="refused" onInput=${type}/>
    <p id="refused" class="bad" role="alert">${why}</p></main>`, at("page"));
  const place = at("code");
  Object.assign(place, { value: "", readOnly: false });
  place.focus();
  return true;
}

const SAID = { here: () => words.here, away: () => words.seat_away, yours: () => words.seat_yours, "": () => "" };

// The seats: one tap on a free one, or on one's own. For somebody else's the laptop is asked.
function seats(all) {
  render(html`<main id="join-seats"><h1>${words.choose_seat}</h1><ol id="free">${all.map(({ seat, name, mark, held }) => html`<li key=${seat}>
    <button class=${held} onClick=${() => say({ type: "sit", seat })}><${Mark} of=${mark}/> <span class="name">${name}</span>${held && html` <span class=${held === "yours" ? "good" : "quiet"}>${SAID[held]()}</span>`}</button>
  </li>`)}</ol></main>`, at("page"));
}

let shown = []; // the seats as they were shown last

// Somebody's seat: the laptop lets this phone in by these letters.
function asks(letters, seat) {
  const name = shown.find((one) => one.seat === seat)?.name ?? "";
  render(html`<main id="join-asks"><h1>${named(words.seat_taken, name)}</h1><p>${named(words.seat_ask, name)}</p><p id="letters">${letters}</p>
    <button onClick=${() => location.reload()}>${words.back}</button></main>`, at("page"));
}

theme();
follow({
  code,
  refused: code,
  letters: asks,
  seats(all) {
    shown = all;
    seats(all);
  },
});
