// The session under every page: one line to the table, taken up again by itself; both ends say every two seconds that they are there.
import { at, fill, html, keep, kept, render, words } from "./draw.js";

const BEAT = 2000; // ms
const SILENT = 7000; // ms without a word of the table's, or of an attempt to reach it
const PAUSE = 1000; // ms before a lost line is taken up again
const LOOK = 500; // ms between two looks at the line
const PLACE = `pass ${location.pathname}`; // of this tab alone: another tab of the same browser may be another player's
const HELD = "seats"; // passes of the seats that this browser had: by them an owner who closed the tab finds the seat again
const MOST_HELD = 8;
const NARROW = matchMedia("(max-width: 700px), (max-height: 480px)"); // a phone shows no letters: it types them

// Why the table closed the line: in words, and whether the page tries again, or what its button does.
const ENDS = {
  1001: { words: "shut", again: true },
  1012: { words: "shut", again: true },
  4001: { words: "no_link" },
  4002: { words: "elsewhere", button: ["take_over", () => begin({ take: true })] },
  4003: { words: "evening" },
  4004: { words: "", again: true }, // it was this page that slept
  4005: { words: "wrong_letters" },
  4006: { words: "left", button: ["choose_again", () => location.assign("/join")] },
  4007: { words: "too_many", again: true },
};

const tab = () => sessionStorage;
export const seat = { name: "" }; // whose page it is
const language = kept("language");
let hears = {}; // what the page does with what it hears
let hello = {};
let line = null;
let game = ""; // whose words and pictures this page has
let over = false; // the table has closed it for good
let heard = 0; // by `now`: when something was heard last, or a line was begun
let looked = 0;
let count = 0;
const run = Math.random().toString(36).slice(2); // ids of this page's acts begin so
const asked = new Map(); // what waits for its answer, by its id

// Milliseconds for which this page has been there. One of the browser's clocks stands while the phone sleeps, the other is set forward and back: what passed is the longer of the two.
const clocks = () => [performance.now(), Date.now()];
let [shown, passed] = [clocks(), 0];

function now() {
  const [before, later] = [shown, (shown = clocks())];
  return (passed += Math.max(...later.map((one, which) => one - before[which])));
}

// Follow the table for as long as the page is open. `heard`: what is done with a state (`state`), with the table's having taken a picture that was so many ms late (`taken`), at the beginning of each line (`ready`) and at its end (`ended`); on the page for joining, with the seats (`seats`), letters by which the laptop lets this phone in (`letters`), and wrong or too many ones (`refused`); `code`: shows the place for the letters, and there is no line until they are typed.
export function follow(does = {}) {
  hears = does;
  window.addEventListener("hashchange", () => location.reload()); // another's link, in this tab
  const wanted = new URLSearchParams(location.search);
  if (language && language !== document.documentElement.lang && wanted.get("lang") !== language) {
    wanted.set("lang", language); // the page's own words, too, in the reader's language
    location.replace(`${location.pathname}?${wanted}${location.hash}`);
    return;
  }
  const token = location.hash.slice(1);
  // Forgotten at once: it then stands in no address and no history.
  if (token) history.replaceState(null, "", location.pathname + location.search);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
  window.addEventListener("online", look);
  setInterval(look, LOOK);
  setInterval(() => say({ type: "beat" }), BEAT);
  if (does.code && !token && !kept(PLACE, tab)) over = !does.code();
  else begin({ token });
}

// Begin by the four letters that the laptop shows.
export const enter = (letters) => begin({ letters, pass: "" });

// Passes of the seats that this browser had.
const held = () => JSON.parse(kept(HELD) || "[]");

function begin(how) {
  hello = how;
  over = false;
  dial();
}

function dial() {
  heard = looked = now();
  const mine = (line = new WebSocket(`${location.origin.replace("http", "ws")}/line`));
  mine.onopen = () => say({ type: "hello", pass: hello.token ? "" : kept(PLACE, tab), held: hears.seats ? held() : [], language, ...hello });
  mine.onmessage = ({ data }) => {
    heard = now();
    if (mine === line) take(JSON.parse(data));
  };
  mine.onclose = ({ code, reason }) => mine === line && lost(code, reason);
}

function take(said) {
  if (said.you) {
    keep(PLACE, said.you.pass, tab);
    if (said.you.kind === "seat") keep(HELD, JSON.stringify([said.you.pass, ...held().filter((one) => one !== said.you.pass)].slice(0, MOST_HELD)));
    // Another game was begun, or this seat is called otherwise in it: what was tapped before means nothing there.
    if ((game && game !== said.you.game) || (game && seat.name !== said.you.seat)) return location.reload();
    game = said.you.game;
    [hello, seat.name] = [{}, said.you.seat];
    trouble("");
    for (const one of asked.values()) line.send(one.text); // the same ids: what was done is not done again
    hears.ready?.();
  } else if (said.letters) (hears.letters ?? door)(said.letters, said.seat);
  else if (said.seats) hears.seats?.(said.seats);
  else if (said.go) location.href = said.go; // let in: the page of what it is for
  else if (said.state) hears.state?.(said.state);
  else if (said.re) {
    asked.get(said.re)?.answered(said.answer);
    asked.delete(said.re);
  } else if (said.taken) hears.taken?.(said.late);
}

function lost(code, reason) {
  const end = ENDS[code] ?? { words: navigator.onLine ? "lost" : "offline", again: true };
  const told = fill(words[end.words] ?? "", { seconds: reason });
  over = !end.again;
  hears.ended?.(over);
  if (hears.refused && (hello.letters || code === 4001)) {
    over = true;
    return hears.refused(told);
  }
  trouble(told, end.button);
  if (over) asked.clear();
  else setTimeout(() => over || line.readyState > WebSocket.OPEN ? over || dial() : null, 1000 * Number(reason) || PAUSE);
}

// Not let in yet: four letters by which the laptop lets this screen in. On a phone they are typed instead.
function door(letters) {
  if (NARROW.matches) return location.replace(`/join${location.search}`);
  trouble("");
  render(html`<main id="door"><h1>${words.door}</h1><p id="letters">${letters}</p><p><a href="/join">${words.door_type}</a></p></main>`, at("page"));
}

// Give up this seat, for whoever comes next.
export function leave() {
  say({ type: "leave" });
  keep(PLACE, "", tab);
}

// The watchdog: a laptop that sleeps closes no line.
function look() {
  const slept = now() - looked > 4 * LOOK; // this phone itself may have slept
  looked = now();
  if (over || looked - heard < SILENT) return;
  if (!slept) trouble(words[navigator.onLine ? "asleep" : "offline"]);
  const silent = line;
  dial();
  silent.close();
}

// Tell the table something that needs no answer; false while there is no line.
export function say(what) {
  if (line?.readyState !== WebSocket.OPEN) return false;
  line.send(what instanceof ArrayBuffer ? what : JSON.stringify(what));
  return true;
}

// Ask the table; the answer comes in the end, whatever happens to the line. Asked once: by its id the table knows what it has answered.
export function ask(what) {
  const id = `${run}.${(count += 1)}`;
  const text = JSON.stringify({ ...what, id, seat: seat.name });
  return new Promise((answered) => {
    asked.set(id, { text, answered });
    if (line?.readyState === WebSocket.OPEN) line.send(text);
  });
}

export function trouble(what, button) {
  const place = at("trouble");
  place.hidden = !what;
  render(html`${what} ${button && html`<button onClick=${button[1]}>${words[button[0]]}</button>`}`, place);
}
