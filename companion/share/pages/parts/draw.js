// What all pages draw with: words, the players' signs, small pieces. Drawn by keys (Preact): what did not change stays, with what one is picking there.
import { Component, html, render } from "./preact.js";

export { Component, html, render } from "./preact.js";

export const at = (id) => document.getElementById(id);
export const words = JSON.parse(document.body.dataset.words);

// A sentence of the catalogue, with what stands in its places.
export const fill = (template, values) => template.replace(/{(\w+)}/g, (_place, name) => values[name]);
export const labelled = (label, value) => fill(words.labelled, { label, value });

// What this phone was told to remember; "" in a browser that keeps nothing.
export function kept(name, place = () => localStorage) {
  try {
    return place().getItem(name) ?? "";
  } catch {
    return "";
  }
}

export function keep(name, value, place = () => localStorage) {
  try {
    place().setItem(name, value);
  } catch {
    // it lives until it is reloaded
  }
}

// The players' signs, as shapes of their own in colours of their own (told apart in grey and by the colour-blind).
export const SHAPES = [
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

export const ink = (number) => SHAPES[number % SHAPES.length][0];

export function Mark({ of }) {
  const [ink, outline] = SHAPES[of % SHAPES.length];
  return html`<svg viewBox="-50 -50 100 100" class="mark" aria-hidden="true"><path d=${outline} fill=${ink} stroke="currentColor" stroke-width="4"/></svg>`;
}

let sides = null; // the printed sides of all cards, by their names: asked for once

async function printed() {
  const answer = await fetch(`/cards?lang=${document.documentElement.lang}`);
  const drawn = Object.entries(await answer.json());
  return new Map(drawn.map(([name, svg]) => [name, URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }))]));
}

// A card's printed side, by its name or its design's (`donkey:giant`).
export class Picture extends Component {
  async componentDidMount() {
    sides ??= printed();
    const drawn = await sides.catch(() => (sides = null)); // the table is away: asked for again by the next one
    if (!this.gone) this.setState({ drawn });
  }

  componentWillUnmount() {
    this.gone = true;
  }

  render({ name, alt = "", ...more }, { drawn }) {
    const side = drawn?.get(name.split(":").pop());
    return side ? html`<img data-card=${name} src=${side} alt=${alt} ...${more}/>` : html`<span ...${more}>${alt}</span>`;
  }
}

// What lies on the table, as it lies: whose it is, and the cards; one without a name lies face down.
export const Card = ({ name }) => name
  ? html`<${Picture} class="card turned" name=${name}/>`
  : html`<span class="card back"></span>`;

export function Lying({ lying }) {
  const count = lying.reduce((sum, { cards }) => sum + cards.length, 0);
  const step = count > 3 ? 0.6 : 1.06; // of a card's width, from one to the next
  const broad = lying.reduce((sum, { cards }) => sum + 1.3 + (cards.length - 1) * step, 0);
  return html`<ol id="lying" style=${{ "--broad": broad, "--step": step }}>${lying.map((one, place) => html`<li key=${`${place} ${one.cards}`} class=${one.leads ? "leads" : ""}>
    <p>${one.seat > 0 && html`<${Mark} of=${one.seat - 1}/>`} ${one.words}</p>
    <div>${one.cards.map((name, number) => html`<${Card} key=${number} name=${name}/>`)}</div>
  </li>`)}</ol>`;
}

// What is worth looking at just now: what was turned up, else what it is about; and what lies there.
export function onTable({ result, moment, picture, headline, lying }) {
  const turned = moment?.turned.length ? [{ cards: moment.turned, words: moment.verdict, seat: 0, leads: true }] : [];
  const about = picture && !lying.length ? [{ cards: [picture], words: headline, seat: 0 }] : [];
  return result ? [] : [...turned, ...about, ...lying];
}

// Words to which eyes are drawn when they change: by another key the movement begins anew.
export const New = ({ tag = "p", id, tone, say, ...more }) => html`<${tag} id=${id} class=${tone} ...${more}><span class="changed" key=${say}>${say}</span><//>`;

export const Badges = ({ of }) => of.map((one) => html`<span key=${one.word} class=${one.tone}>${one.sign} ${one.word}</span>`);

// What is wrong with the readers at the table, and what to do about it, until it is well again.
export const Warnings = ({ warnings }) => warnings.length > 0 && html`<ul id="warnings" class=${warnings.join("").length > 160 ? "long" : ""} role="alert">${warnings.map((one) => html`<li key=${one}>⚠ ${one}</li>`)}</ul>`;

// Whether somebody is in with a phone.
export const Here = ({ who, of }) => who.includes(of) && html`<span class="good" role="img" aria-label=${words.here} title=${words.here}> ●</span>`;

export function time(clock) {
  if (!clock) return "";
  if (clock.paused) return "‖";
  if (clock.left === null) return "";
  const left = Math.max(Math.ceil(clock.left), 0);
  const sign = { none: "", soon: " !", up: " !!" }[clock.warning];
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}${sign}`;
}

// The theme that the address asks for, the one chosen on this phone, or the page's `usual` one; else the device's.
export function theme(usual = kept("theme")) {
  const wanted = new URLSearchParams(location.search).get("theme") ?? usual;
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
  else delete document.documentElement.dataset.theme;
}

// What draws a page's states, each in place of the last.
export const drawing = (Page) => (state) => {
  document.documentElement.lang = state.language;
  render(html`<${Page} ...${state}/>`, at("page"));
  document.body.dataset.number = state.number;
};
