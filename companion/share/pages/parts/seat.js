// One's own seat: my points, my choices, my reasons.
import { ask, at, follow, mark, piece, put, theme, time, trouble } from "./common.js";
import { canRead, offerPad } from "./nfc.js";

let offer = -1;
let sending = false;

async function press(choice, cards) {
  if (sending) return;
  sending = true;
  try {
    const answer = await ask("/press", { method: "POST", body: JSON.stringify({ offer, choice, cards }) });
    const { accepted, words, clause } = answer.ok ? await answer.json() : { accepted: false, words: document.body.dataset.noLink, clause: "" };
    at("refused").hidden = accepted;
    at("refused").replaceChildren(`${words} `, ...(clause ? [rule(clause)] : []));
  } catch {
    trouble(document.body.dataset.lost);
  } finally {
    sending = false;
  }
}

// A clause, as a link that opens the rules page there.
function rule(clause) {
  const link = piece("a", "clause", clause);
  link.href = `/rules#${clause}`;
  return link;
}

// Cards to name before a choice is whole: pressed once for each card, up to as many as there are.
function pick(place, choice) {
  const box = piece("div", "pick");
  const chosen = [];
  const send = piece("button", "", document.body.dataset.send);
  const mind = () => { send.disabled = chosen.length < choice.pick.least || chosen.length > choice.pick.most; };
  box.append(piece("p", "", choice.words));
  for (const { card, words, most } of choice.pick.cards) {
    const button = piece("button", "", words);
    button.onclick = () => {
      const count = chosen.filter((one) => one === card).length;
      if (count >= most) chosen.splice(0, chosen.length, ...chosen.filter((one) => one !== card));
      else chosen.push(card);
      const now = chosen.filter((one) => one === card).length;
      button.setAttribute("aria-pressed", String(now > 0));
      button.textContent = now > 1 ? `${words} ×${now}` : words;
      mind();
    };
    box.append(button);
  }
  send.onclick = () => press(place, chosen);
  mind();
  box.append(send);
  return box;
}

function choices(rows) {
  const made = rows.map((choice, place) => {
    if (choice.pick) return pick(place, choice);
    const button = piece("button", "", choice.words);
    button.onclick = () => press(place, []);
    return button;
  });
  at("choices").replaceChildren(...(made.length ? made : [piece("p", "quiet", document.body.dataset.nothingNow)]));
}

// Where cards may be held to this phone; the first that is allowed is chosen at the beginning.
function pad(allowed) {
  at("pad").hidden = !allowed.length || !canRead();
  for (const label of at("pad-where").children) {
    label.hidden = !allowed.includes(label.dataset.where);
    if (allowed[0] === label.dataset.where && !at("pad-where").querySelector(":checked")) label.firstElementChild.checked = true;
  }
}

function show(state) {
  offer = state.mine.offer;
  document.documentElement.lang = state.language;
  const place = state.seats.findIndex((seat) => seat.name === state.mine.name);
  const mine = state.seats[place];
  at("mark").replaceChildren(mark(mine.mark));
  put("name", mine.name);
  put("points", mine.points);
  at("mine").replaceChildren(...mine.badges.map((one) => piece("span", one.tone, `${one.sign} ${one.word}`)), piece("span", "quiet", mine.detail));
  at("rules").hidden = !state.mine.clause;
  at("rules").href = `/rules#${state.mine.clause}`;
  at("rules").textContent = `${at("rules").textContent.split(":")[0]}: ${state.mine.clause}`;
  at("turn").hidden = !mine.awaited;
  at("clock").textContent = time(state.clock);
  put("headline", state.headline);
  put("meaning", [state.meaning, state.gauge?.words, state.gauge?.verdict].filter(Boolean).join(" · "));
  put("awaited", state.awaited);
  put("apart", state.mine.apart);
  choices(state.mine.choices);
  pad(state.mine.held_for);
  at("why").replaceChildren(...state.mine.why.map((reason) => {
    const row = piece("li", "", `${reason.points ? `${reason.points}: ` : ""}${reason.text}`);
    row.append(...reason.clauses.flatMap((clause) => [" ", rule(clause)]));
    return row;
  }));
  at("seats").replaceChildren(...state.seats.map((seat) => {
    const row = piece("li", "", "");
    row.append(mark(seat.mark), ` ${seat.name}`, piece("span", "points", seat.points));
    return row;
  }));
  document.body.dataset.number = state.number;
}

theme();
offerPad(() => at("pad-where").querySelector(":checked").value);
follow(show, "/mine");
