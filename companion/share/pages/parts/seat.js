// One's own seat: my points, my choices, my reasons, and conversations with the table.
import { ask, at, fill, follow, mark, piece, put, refill, theme, time, trouble, write } from "./common.js";
import { canRead, offerPad } from "./nfc.js";

let mine = { menu: null };

// A clause, as a link that opens the rules page there.
function rule(clause) {
  const link = piece("a", "clause", clause);
  link.href = `/rules#${clause}`;
  return link;
}

// Cards to name before a choice is whole: pressed once for each card, up to as many as there are.
function pick(choice, take) {
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
  send.onclick = () => take(chosen);
  mind();
  box.append(send);
  return box;
}

// Words of one's own, to be sent.
function line(one, take) {
  const form = piece("form", "pick");
  const label = piece("label", "", one.words);
  const typed = piece("input", "");
  typed.maxLength = one.line;
  typed.autocomplete = "off";
  label.append(typed);
  form.append(label, piece("button", "", document.body.dataset.send));
  form.onsubmit = (event) => {
    event.preventDefault();
    take([typed.value.trim()]);
  };
  return form;
}

// A conversation: this page says all its answers each time, and is told what stands there now.
function talk(id, about, over = () => {}) {
  let [subject, given, menu, speaking, heard] = [about, [], null, false, {}];

  async function say(next = null) {
    if (speaking) return;
    speaking = true;
    const now = subject;
    try {
      const answer = await ask("/talk", { method: "POST", body: JSON.stringify({ about: now, given, next, told: menu?.number ?? 0 }) });
      heard = answer.ok ? await answer.json() : { menu: null, hold: 0, words: document.body.dataset.noLink };
      if (now === subject) {
        given = [...given, next].slice(0, heard.hold);
        menu = heard.menu;
        if (menu || heard.words) show(next ? refill : fill);
        else {
          given = [];
          over();
        }
      }
    } catch {
      trouble(document.body.dataset.lost);
    } finally {
      speaking = false;
    }
    if (now !== subject) await say();
  }

  function show(how) {
    how(id, { told: menu?.told, rows: menu?.rows, words: heard.words, given }, draw);
  }

  function row(one) {
    if (one.row === undefined) return piece("p", one.tone, one.words);
    if (one.pick) return pick(one, (cards) => say({ row: one.row, cards }));
    if (one.line) return line(one, (cards) => say({ row: one.row, cards }));
    const button = piece("button", one.tone, menu.long ? `${one.key}. ${one.words}` : one.words);
    if (one.seat) button.prepend(mark(one.seat - 1), " ");
    button.onclick = () => say({ row: one.row });
    return button;
  }

  function draw() {
    const drawn = (menu?.told ?? []).flatMap(told);
    if (heard.words) {
      const said = piece("p", heard.tone ?? "bad", `${heard.words} `);
      said.setAttribute("role", "alert");
      if (heard.clause) said.append(rule(heard.clause));
      drawn.unshift(said);
    }
    const rows = piece("div", menu?.long ? "rows long" : "rows");
    rows.append(...(menu?.rows ?? []).map(row));
    drawn.push(rows);
    if (menu && !menu.rows.length) drawn.push(piece("p", "quiet", document.body.dataset.nothingNow));
    if (given.length) {
      const back = piece("button", "quiet", document.body.dataset.back);
      back.onclick = () => {
        given.pop();
        say();
      };
      drawn.push(back);
    }
    requestAnimationFrame(() => rows.scrollTo(0, rows.scrollHeight)); // of a long list the newest
    return drawn;
  }

  return {
    begin(what = about) {
      [subject, given, menu, heard] = [what, [], null, {}];
      return say();
    },
    again: () => say(),
    // What it begins with now; in the midst of it, its answers are said anew.
    begins(first, stepped, how = fill) {
      if (given.length) return stepped ? say() : undefined;
      if (stepped) heard = {};
      menu = first;
      return show(how);
    },
    about: () => subject,
  };
}

function told(one) {
  if (one.points) {
    return one.points.map(({ name, mark: number, before, after }) => {
      const line = piece("p", before === after ? "quiet" : "");
      line.append(mark(number), ` ${name}: ${before} → ${after}`);
      return line;
    });
  }
  if (!one.what) return [piece("p", one.tone, one.words)];
  return [piece("p", "title", `${one.what}: ${one.words}`), ...one.parts.map((part) => piece("p", "", `✔ ${part}`))];
}

const entering = talk("choices", "entering", () => entering.begins(mine.menu, true, refill));
const asked = talk("question", null, () => { at("question").hidden = true; });
const opened = ["righting", "people"].map((id) => {
  const place = at(id).parentElement;
  const talking = talk(id, id, () => { place.open = false; });
  place.addEventListener("toggle", () => { if (place.open) talking.begin(); });
  return () => { if (place.open) talking.again(); };
});

function reason({ points, text, clauses }) {
  const row = piece("li", "", `${points ? `${points}: ` : ""}${text}`);
  row.append(...clauses.flatMap((clause) => [" ", rule(clause)]));
  return row;
}

function seat(one) {
  const row = piece("li", "", "");
  row.append(mark(one.mark), ` ${one.name}`, piece("span", "points", one.points));
  return row;
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
  const stepped = mine.menu?.number !== state.mine.menu.number;
  mine = state.mine;
  at("question").hidden = mine.question === null;
  if (mine.question !== null && mine.question !== asked.about()) asked.begin(mine.question);
  if (stepped) opened.forEach((again) => again());
  document.documentElement.lang = state.language;
  const place = state.seats.findIndex((seat) => seat.name === mine.name);
  const seated = state.seats[place];
  fill("mark", seated.mark, (number) => [mark(number)]);
  put("name", seated.name);
  put("points", seated.points);
  fill("mine", [seated.badges, seated.detail], ([badges, detail]) => [...badges.map((one) => piece("span", one.tone, `${one.sign} ${one.word}`)), piece("span", "quiet", detail)]);
  at("rules").hidden = !mine.clause;
  at("rules").href = `/rules#${mine.clause}`;
  write("rules", `${at("rules").textContent.split(":")[0]}: ${mine.clause}`);
  at("turn").hidden = !seated.awaited;
  write("clock", time(state.clock));
  put("headline", state.headline);
  put("meaning", [state.meaning, state.gauge?.words, state.gauge?.verdict].filter(Boolean).join(" · "));
  put("awaited", state.awaited);
  entering.begins(mine.menu, stepped);
  pad(mine.held_for);
  fill("why", mine.why, (why) => why.map(reason));
  fill("seats", state.seats.map(({ mark, name, points }) => ({ mark, name, points })), (seats) => seats.map(seat));
  document.body.dataset.number = state.number;
}

theme();
offerPad(() => at("pad-where").querySelector(":checked").value);
follow(show, "/mine");
