// All pages of the club: each piece that changed comes as HTML and takes its place; the organiser's forms are sent.
import { html, Mark, render, theme, words } from "/parts/draw.js";

const main = document.querySelector("main");
const trouble = document.getElementById("trouble");
const TURN = 12_000; // ms for which a television shows the same tables
const KEY = "organiser's key";

function say(words) {
  trouble.textContent = words;
  trouble.hidden = !words;
}

function dress(root) {
  for (const place of root.querySelectorAll("[data-mark]")) render(html`<${Mark} of=${Number(place.dataset.mark)}/>`, place);
  for (const button of root.querySelectorAll("form button")) button.disabled = false; // now it is sent by `send`
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

function take({ pieces, order, now }) {
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
  for (const id of order) main.append(document.getElementById(id));
  if (at?.matches(FIELDS)) [...main.querySelectorAll(FIELDS)].find((one) => field(one) === field(at))?.focus({ preventScroll: true });
  turn(0);
  name();
  count();
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

// The tab says what happens: at a table its game, elsewhere how many play.
const titled = document.title;
function name() {
  const now = (main.querySelector("#live .headline") ?? main.querySelector("#now span"))?.textContent;
  document.title = now ? `${now} – ${titled}` : titled;
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
      if (fits() === cards.length) break;
    }
  }
  const fit = Math.max(fits(), 1);
  const views = Math.ceil(cards.length / fit);
  first = (first + by) % views;
  const shown = Math.min(first * fit, cards.length - fit); // the last view is full, too
  cards.forEach((card, place) => { card.hidden = place < shown || place >= shown + fit; });
  document.getElementById("views").textContent = views > 1 ? "●".repeat(first) + "◉" + "●".repeat(views - first - 1) : "";
}

function follow() {
  const line = new EventSource(`/live?page=${encodeURIComponent(location.pathname)}`);
  line.onmessage = (event) => {
    say("");
    take(JSON.parse(event.data));
    document.body.dataset.number = event.lastEventId;
  };
  line.onerror = () => {
    say(words.lost);
    if (line.readyState === EventSource.CLOSED) setTimeout(follow, 1500); // it was refused, not cut
  };
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
    say(told);
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
turn(0);
name();
count();
setInterval(count, 500);
follow();
