// What all pages share: handing in the link's token for a pass, following the table, and the players' marks.

export const at = (id) => document.getElementById(id);

// The pass of this page, kept for its tab alone: another tab of the same browser may be another player's.
const PLACE = `pass ${location.pathname}`;
const SILENT = 12_000; // ms; the table says something every 5 s
export const PAUSE = 1500; // ms before a lost line is taken up again
let pass = kept();

function kept() {
  try {
    return sessionStorage.getItem(PLACE) ?? "";
  } catch {
    return ""; // a browser that keeps nothing: the page lives until it is reloaded
  }
}

function keep(given) {
  pass = given;
  try {
    sessionStorage.setItem(PLACE, given);
  } catch {
    // as above
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Ask the table for something, as the one whom this page belongs to.
export const ask = (path, options = {}) => fetch(path, { ...options, headers: { authorization: `Bearer ${pass}` } });

export const dial = (path) => new WebSocket(`${location.origin.replace("http", "ws")}${path}`, ["card-table", pass]);

// Take the token from behind the `#`, hand it in once, and forget it: it then stands in no address and no history.
export async function enter() {
  window.addEventListener("hashchange", () => location.reload()); // another's link, in this tab
  const token = location.hash.slice(1);
  if (!token) return Boolean(pass);
  history.replaceState(null, "", location.pathname + location.search);
  for (;;) {
    try {
      const answer = await fetch("/enter", { method: "POST", body: JSON.stringify({ token }) });
      if (answer.ok) keep((await answer.json()).pass);
      if (answer.ok || answer.status === 403) return answer.ok;
    } catch {
      // no answer at all: the line is lost
    }
    trouble(document.body.dataset.lost);
    await pause(PAUSE);
  }
}

export function trouble(words) {
  write("trouble", words);
  at("trouble").hidden = !words;
}

// Follow the table for ever; a lost line is taken up again within a second or two, at once when the phone is unlocked.
export async function follow(show, from = "/live") {
  if (!(await enter())) {
    trouble(document.body.dataset.noLink);
    return;
  }
  let line = new AbortController();
  let woken = false;
  document.addEventListener("visibilitychange", () => {
    woken = document.visibilityState === "visible";
    if (woken) line.abort();
  });
  for (;;) {
    line = new AbortController();
    woken = false;
    try {
      const answer = await ask(from, { signal: line.signal });
      if (answer.status === 403) {
        trouble(document.body.dataset.noLink);
        return;
      }
      if (answer.ok) await listen(answer.body, line, show);
    } catch {
      // the line was cut, or was silent too long
    }
    if (woken) continue;
    trouble(document.body.dataset.lost);
    await pause(PAUSE);
  }
}

// Server-sent events. Not by EventSource: that sends no pass.
async function listen(body, line, show) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const late = setTimeout(() => line.abort(), SILENT);
    const { done, value } = await reader.read().finally(() => clearTimeout(late));
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event.split("\n").find((row) => row.startsWith("data: "));
      if (!data) continue;
      trouble("");
      try {
        show(JSON.parse(data.slice(6)));
      } catch (fault) {
        reportError(fault); // one state that cannot be drawn cuts no line
      }
    }
  }
}

// The players' signs, as shapes of their own in colours of their own (told apart in grey and by the colour-blind).
const SHAPES = [
  ["#e8483f", "M0 -46L46 40H-46Z"],
  ["#5b9df0", "M0 -48C14 -20 36 -6 36 14A36 34 0 0 1 -36 14C-36 -6 -14 -20 0 -48Z"],
  ["#2fb97f", "M-40 -40H40V40H-40Z"],
  ["#f7de1e", "M0 -48L14 -16L48 -14L22 8L31 42L0 22L-31 42L-22 8L-48 -14L-14 -16Z"],
  ["#b07fe0", "M0 -48L40 0L0 48L-40 0Z"],
  ["#f08a35", "M18 -46A46 46 0 1 0 18 46A54 54 0 0 1 18 -46Z"],
  ["#b9bec7", "M-14 -46H14V-14H46V14H14V46H-14V14H-46V-14H-14Z"],
  ["#ff7fb0", "M0 -46A46 46 0 1 0 0.1 -46Z"],
  ["#43c6d8", "M-46 -20H46V20H-46Z"],
  ["#c9a06a", "M0 -46L44 -14L27 40H-27L-44 -14Z"],
  ["#9ad14b", "M-23 -40H23L46 0L23 40H-23L-46 0Z"],
  ["#e0e0ff", "M-20 -46H20V46H-20Z"],
];

export function mark(number) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  const [ink, outline] = SHAPES[number % SHAPES.length];
  drawing.setAttribute("viewBox", "-50 -50 100 100");
  drawing.setAttribute("class", "mark");
  drawing.setAttribute("aria-hidden", "true");
  path.setAttribute("d", outline);
  path.setAttribute("fill", ink);
  path.setAttribute("stroke", "currentColor");
  path.setAttribute("stroke-width", "4");
  drawing.append(path);
  return drawing;
}

export function piece(tag, className, words = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = words;
  return made;
}

// What was drawn stays until it is drawn from something else: what one is picking there, or reading, is left alone.
const drawn = new Map();

export function fill(id, from, make) {
  const key = JSON.stringify(from);
  if (drawn.get(id) === key) return;
  drawn.set(id, key);
  at(id).replaceChildren(...make(from));
}

// Draw it anew whatever it was drawn from: what was picked has been sent.
export function refill(id, from, make) {
  drawn.delete(id);
  fill(id, from, make);
}

export function write(id, words) {
  const place = at(id);
  const other = place.textContent !== words;
  if (other) place.textContent = words;
  return other;
}

// Write, and draw eyes to it.
export function put(id, words) {
  if (!write(id, words)) return;
  const place = at(id);
  place.classList.remove("changed");
  void place.offsetWidth; // begins the movement anew
  place.classList.add("changed");
}

export function time(clock) {
  if (!clock) return "";
  if (clock.paused) return "‖";
  if (clock.left === null) return "";
  const left = Math.max(Math.ceil(clock.left), 0);
  const sign = { none: "", soon: " !", up: " !!" }[clock.warning];
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}${sign}`;
}

export function theme(usual) {
  const wanted = new URLSearchParams(location.search).get("theme") ?? usual;
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
}
