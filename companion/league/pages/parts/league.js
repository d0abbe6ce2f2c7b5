// All pages of the club: each piece that changed comes as HTML and takes its place; the organiser's forms are sent.
import { html, Mark, render, theme, words } from "/parts/draw.js";

const main = document.querySelector("main");
const trouble = document.getElementById("trouble");
const TURN = 12_000; // ms for which a television shows the same tables
const STEP = 2500; // ms for which an entry stands when a game plays by itself: time to read two sentences
const KEY = "organiser's key";

const STANDS = 10_000; // ms for which an answer stands: the page that changes by what was sent must not take it away
let until = 0;
function say(words, stands = 0) {
  trouble.textContent = words;
  trouble.hidden = !words;
  until = Date.now() + stands;
}

function dress(root) {
  for (const place of root.querySelectorAll("[data-mark]")) render(html`<${Mark} of=${Number(place.dataset.mark)}/>`, place);
  for (const button of root.querySelectorAll("form button")) button.disabled = false; // now it is sent by `send`
  for (const button of root.querySelectorAll("button[hidden]")) button.hidden = false;
}

const FIELDS = "form input:not([type=hidden]):not([type=file]), form select, form textarea";
const field = (one) => [one.form.dataset.do, ...[...one.form.querySelectorAll("[type=hidden]")].map((hidden) => hidden.value), one.name].join(" ");

// What is being typed goes on in the piece that takes the place of another; what was sent does not.
function keep(old, made) {
  const typed = new Map([...old.querySelectorAll(FIELDS)].filter((one) => !one.form.dataset.sent).map((one) => [field(one), one]));
  for (const one of made.querySelectorAll(FIELDS)) {
    const was = typed.get(field(one));
    if (!was || was.value === was.defaultValue) continue;
    if (one.tagName !== "SELECT" || [...one.options].some((option) => option.value === was.value)) one.value = was.value;
  }
}

// A piece is replaced whole: what somebody has opened in it stays open.
function reopen(old, made) {
  const fresh = made.firstElementChild?.querySelectorAll("details") ?? [];
  old.querySelectorAll("details").forEach((one, place) => { if (one.open) fresh[place]?.setAttribute("open", ""); });
}

function take({ title, pieces, order, now }) {
  document.title = title; // the tab says what happens
  late = now * 1000 - Date.now();
  const at = document.activeElement;
  for (const [id, told] of Object.entries(pieces)) {
    const made = document.createElement("template");
    made.innerHTML = told; // the server's own HTML: whatever people typed is escaped in it
    dress(made.content);
    const old = document.getElementById(id);
    if (old) reopen(old, made.content);
    if (old) keep(old, made.content);
    if (old) old.replaceWith(made.content);
    else main.append(made.content);
  }
  for (const one of [...main.children]) if (!order.includes(one.id)) one.remove();
  // What stands right is left alone: who moves a piece takes the focus out of it.
  order.forEach((id, place) => main.children[place]?.id === id || main.insertBefore(document.getElementById(id), main.children[place]));
  const again = at?.matches(FIELDS) ? [...main.querySelectorAll(FIELDS)].find((one) => field(one) === field(at)) : at?.id && document.getElementById(at.id);
  if (again && again !== at) again.focus({ preventScroll: true });
  turn(0);
  count();
  if (playing) play(true);
  arrive();
}

// The server's clock counts: those of televisions and phones are often wrong.
let late = 0;
function count() {
  const timer = document.getElementById("timer");
  if (!timer) return;
  const left = Math.max(0, Math.round(timer.dataset.ends - (Date.now() + late) / 1000));
  timer.classList.toggle("bad", !left);
  timer.querySelector("b").textContent = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : timer.dataset.over;
}

// A television scrolls nothing: the type is as large as lets all tables stand there; where it would be too small to be
// read from afar, as many as fit, and the next ones after a while.
const TYPE = [56, 50, 45, 40, 36, 32, 29, 26, 23, 21].map((size) => (size * innerHeight) / 1080);
let first = 0;
let sized = "";
function turn(by) {
  if (document.documentElement.dataset.page !== "tv") return;
  const cards = [...main.querySelectorAll(".table")];
  for (const card of cards) card.hidden = false;
  if (!cards.length) return;
  const fits = () => cards.filter((card) => card.getBoundingClientRect().bottom <= main.getBoundingClientRect().bottom).length;
  const size = [cards.length, innerWidth, innerHeight].join();
  if (size !== sized) {
    sized = size;
    for (const type of TYPE) {
      document.documentElement.style.fontSize = `${type}px`;
      if (fits() === cards.length && document.documentElement.scrollWidth <= innerWidth) break;
    }
  }
  const fit = Math.max(fits(), 1);
  const views = Math.ceil(cards.length / fit);
  first = (first + by) % views;
  const shown = Math.min(first * fit, cards.length - fit); // the last view is full, too
  cards.forEach((card, place) => { card.hidden = place < shown || place >= shown + fit; });
  document.getElementById("views").textContent = views > 1 ? "●".repeat(first) + "◉" + "●".repeat(views - first - 1) : "";
}

// Where one has come from, until the page has arrived: a page of another kind is read from its top, the game of an entry at that entry.
let came = "";
const kind = (path) => path.replace(/\d+/g, "");
function arrive() {
  if (came && kind(came) !== kind(location.pathname)) {
    const entry = came.startsWith(`${location.pathname}/entry/`) && document.getElementById(`entry-${came.split("/").pop()}`);
    if (entry) entry.scrollIntoView({ block: "center" });
    else scrollTo(0, 0);
    (entry || main.querySelector("#game h3, #whole-round"))?.focus({ preventScroll: true });
  }
  came = "";
}

let line = null;
let path = location.pathname;
function follow() {
  [came, path] = [path === location.pathname ? "" : path, location.pathname];
  line?.close();
  const mine = (line = new EventSource(`/live?page=${encodeURIComponent(location.pathname)}`));
  mine.onmessage = (event) => {
    if (came || Date.now() >= until) say("");
    take(JSON.parse(event.data));
    document.body.dataset.number = event.lastEventId;
  };
  mine.onerror = () => {
    say(words.lost);
    if (mine.readyState === EventSource.CLOSED) setTimeout(() => mine === line && follow(), 1500); // it was refused, not cut
  };
}

// Another page of the same kind takes the place of this one: nothing blinks, and one stays where one was reading.
function go(link) {
  if (link.dataset.stay === "replace") history.replaceState(null, "", link.href);
  else history.pushState(null, "", link.href);
  follow();
}

// A game plays by itself, one entry after the other.
let playing = 0;
function play(on) {
  clearTimeout(playing);
  const button = document.getElementById("play");
  const forward = document.getElementById("forward");
  playing = on && button && forward ? setTimeout(() => go(forward), STEP) : 0;
  button?.setAttribute("aria-pressed", String(playing > 0));
}

// The organiser's key comes behind the `#`, which no browser sends, and stays in this tab.
function key() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

async function send(form) {
  const wish = { do: form.dataset.do };
  for (const [name, value] of new FormData(form)) wish[name] = value;
  form.dataset.sent = "yes";
  const headers = { authorization: `Bearer ${key()}` };
  try {
    const answer = await fetch("/organise", { method: "POST", headers, body: JSON.stringify(wish) });
    const { told } = await answer.json();
    if (answer.ok) form.reset();
    say(told, STANDS);
  } catch {
    say(words.lost);
  }
  delete form.dataset.sent;
}

theme();
if (key()) { // the organiser finds the way back, and nobody else sees it
  const way = Object.assign(document.createElement("a"), { href: "/organise", textContent: words.organise });
  if (location.pathname === way.pathname) way.ariaCurrent = "page";
  document.querySelector("nav").append(way);
}
dress(document);
if (document.documentElement.dataset.page === "tv") {
  document.querySelector("nav").replaceChildren(Object.assign(document.createElement("span"), { id: "views" }));
  setInterval(() => turn(1), TURN);
  addEventListener("resize", () => turn(0));
}
document.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!event.target.dataset.sure || confirm(event.target.dataset.sure)) send(event.target);
});
// A list of names is read here: the organiser sees what will be sent.
document.addEventListener("change", async ({ target }) => {
  if (!target.dataset.into || !target.files.length) return;
  target.form.elements[target.dataset.into].value = await target.files[0].text();
  target.value = "";
});
document.addEventListener("click", (event) => {
  const { target, button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (target.id === "play") play(!playing);
  const link = target.closest("a[data-stay]");
  if (!link || button || metaKey || ctrlKey || shiftKey || altKey) return; // it opens a tab of its own
  event.preventDefault();
  play(false);
  go(link);
});
document.addEventListener("keydown", ({ key, target, metaKey, ctrlKey, altKey }) => {
  if (metaKey || ctrlKey || altKey || target.matches("input, select, textarea")) return;
  document.getElementById({ ArrowLeft: "back", ArrowRight: "forward" }[key])?.click();
});
addEventListener("popstate", follow);
turn(0);
count();
setInterval(count, 500);
follow();
