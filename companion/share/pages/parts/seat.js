// One's own seat: what I may do now, what I have decided, my reasons, and conversations with the table.
import { Board, left } from "./board.js";
import { Badges, Component, Here, Lying, Mark, New, Picture, Warnings, at, drawing, fill, html, keep, kept, labelled, onTable, theme, time, words } from "./draw.js";
import { Reader, canRead } from "./nfc.js";
import { fitAll } from "./fit.js";
import { ask, follow } from "./session.js";
import { Wishes, signal } from "./wishes.js";

// A clause, as a link that opens the rules page there.
const Rule = ({ clause }) => html` <a class="clause" href=${`/rules#${clause}`}>${clause}</a>`;

// Cards to name before a choice is whole: pressed once for each card, up to as many as there are.
class Pick extends Component {
  state = { chosen: [] };

  press({ card, most }) {
    const { chosen } = this.state;
    const full = chosen.filter((one) => one === card).length >= most;
    this.setState({ chosen: full ? chosen.filter((one) => one !== card) : [...chosen, card] });
  }

  render({ row, take }, { chosen }) {
    const { cards, least, most } = row.pick;
    const count = (card) => chosen.filter((one) => one === card).length;
    const send = () => {
      this.setState({ chosen: [] });
      take(chosen);
    };
    return html`<div class="pick">
      <div class="confirm"><p>${row.words}</p><button class="send" disabled=${chosen.length < least || chosen.length > most} onClick=${send}>${words.send}</button></div>
      <div class=${cards.length > 20 ? "cards small" : "cards"}>${cards.map((one) => html`<button key=${one.card} aria-pressed=${String(count(one.card) > 0)} onClick=${() => this.press(one)}>
        ${one.drawn ? html`<${Picture} name=${one.card} alt=${one.words}/>` : one.words}${count(one.card) > 1 && html`<b class="times">×${count(one.card)}</b>`}
      </button>`)}</div>
    </div>`;
  }
}

// Choices that differ in numbers alone: a grid, in which one is chosen before it is entered.
class Grid extends Component {
  state = { chosen: null };

  render({ rows, take }, { chosen }) {
    const one = rows.find((row) => row.row === chosen);
    const many = rows.length > 40; // ten in a row, as one counts
    const wide = Math.max(...rows.map(({ cell }) => cell.at(-1)));
    const send = () => {
      this.setState({ chosen: null });
      take(one);
    };
    return html`<div class="pick">
      <div class="confirm"><p>${one?.words ?? words.choose}</p><button class="send" disabled=${!one} onClick=${send}>${words.send}</button></div>
      <div class=${many ? "grid many" : "grid"} style=${{ "--wide": rows[0].cell.length > 1 ? wide : many ? 10 : Math.min(rows.length, 6) }}>${rows.map((row) => html`<button key=${row.row} aria-label=${row.words} aria-pressed=${String(row === one)} class=${row.tone} onClick=${() => row.tone === "refused" ? take(row) : this.setState({ chosen: row.row })}>
        ${row.cell.length > 1 && html`<i>${row.cell[0]}×</i>`}<b>${row.cell.at(-1)}</b>
      </button>`)}</div>
    </div>`;
  }
}

// Words of one's own, to be sent.
function Line({ row, take }) {
  const send = (event) => {
    event.preventDefault();
    const [typed] = event.target.elements;
    take([typed.value.trim()]);
    typed.value = "";
  };
  return html`<form class="pick" onSubmit=${send}>
    <label>${row.words}<input maxlength=${row.line} autocomplete="off"/></label><button>${words.send}</button>
  </form>`;
}

function Told({ one }) {
  if (one.points) {
    return one.points.map(({ name, mark, before, after }) => html`<p key=${mark} class=${before === after ? "quiet" : ""}><${Mark} of=${mark}/> ${labelled(name, `${before} → ${after}`)}</p>`);
  }
  if (!one.what) return html`<p class=${one.tone}>${one.words}</p>`;
  return [html`<p class="title">${labelled(one.what, one.words)}</p>`, ...one.parts.map((part) => html`<p key=${part}>✔ ${part}</p>`)];
}

const tab = () => sessionStorage;
const ANSWERS = "next game"; // what was answered about it stands there still when this page is loaded again

const tell = (about, given, next, menu) => ask({ type: "talk", about, given, next, told: menu?.number ?? 0 });

const WIDE = 28; // letters of a choice that has a row for itself
const FEW = 6; // plays that are shown without a card's being chosen

// The cards by which these rows move something on the board, with their names, where there are many such rows: one is chosen first.
function folded(rows) {
  const plays = rows.filter((one) => one.card);
  const each = new Map(plays.map((one) => [one.card, one.named]));
  return plays.length > FEW && each.size > 1 ? [...each] : [];
}

// The rows that play this card (null: all rows).
const by = (rows, card) => (card === null ? rows : rows.filter((one) => one.card === card));

// What stands in a menu: numbers for a grid, what is usually meant as the cards that it is, and the rest as it reads.
function sorted(all) {
  const cells = all.filter((one) => one.cell);
  const meant = all.filter((one) => one.likely);
  const likely = meant.length > 1 ? meant : []; // one alone takes no less room as words
  const single = new Set(likely.map((one) => one.likely.cards.join()));
  const again = ({ pick }) => pick?.most === 1 && pick.cards.every(({ card }) => single.has(card)); // each of its cards is offered already
  return { cells, likely, rest: all.filter((one) => !one.cell && !likely.includes(one) && !again(one)) };
}

// A conversation: this page says all its answers each time, and is told what stands there now. `first`: what it begins with, where that is pushed with each state; `about`: what it is about; `over`: called when it has ended well; `keeps`: its answers outlive this page's being loaded; `board`: what its rows can be tapped on.
class Talk extends Component {
  state = { given: [], menu: null, heard: {}, pressed: null, tapped: [], card: null };

  componentDidMount() {
    if (!this.props.first) this.say(null, this.props.keeps ? JSON.parse(kept(ANSWERS, tab) || "[]") : []);
  }

  componentDidUpdate(before) {
    const { first, step } = this.props;
    if (before.step === step) return;
    this.setState({ tapped: [], card: null });
    if (this.state.given.length || !first) this.say();
    else this.setState({ menu: null, heard: {} });
  }

  componentWillUnmount() {
    this.gone = true;
  }

  get menu() {
    return this.state.menu ?? this.props.first;
  }

  async say(next = null, given = this.state.given) {
    if (this.state.pressed !== null) return; // heard already: one thing at a time
    const row = next && this.menu.rows.find((one) => one.row === next.row);
    if (row?.tone !== "refused" && next && this.props.first) chosen(row); // what is refused is no decision
    this.setState({ pressed: next?.row ?? 0, tapped: [], card: null });
    const { about, first, over } = this.props;
    const heard = await tell(about, given, next, this.menu);
    if (this.gone) return;
    const ended = !heard.menu && !heard.words;
    const holds = ended ? [] : [...given, next].slice(0, heard.hold);
    // Of what is pushed the newest is shown, unless this is in the midst of it.
    this.setState({ given: holds, menu: first && !holds.length ? null : heard.menu, heard, pressed: null });
    if (this.props.keeps) keep(ANSWERS, JSON.stringify(holds), tab);
    if (ended) over?.();
  }

  // A tap on the board, beside it: none. The one row that is left is taken.
  tap(spot) {
    const tapped = spot ? [...this.state.tapped, spot].slice(0, 2) : [];
    const rows = left(by(this.menu?.rows ?? [], this.state.card), tapped);
    if (spot && rows.length === 1 && !rows[0].pick) this.say({ row: rows[0].row, cards: [] });
    else this.setState({ tapped });
  }

  row(one) {
    if (one.row === undefined) return html`<p key=${one.words} class=${one.tone}>${one.words}</p>`;
    const take = (cards) => this.say({ row: one.row, cards });
    if (one.pick) return html`<${Pick} key=${one.row} row=${one} take=${take}/>`;
    if (one.line) return html`<${Line} key=${one.row} row=${one} take=${take}/>`;
    const wide = one.words.length > WIDE && this.props.id === "choices";
    return html`<button key=${one.row} class=${[one.tone, one.pass && "pass", wide && "wide"].filter(Boolean).join(" ")} data-fit=${this.menu.long ? undefined : "0.7"} aria-busy=${this.state.pressed === one.row} onClick=${() => take([])}>
      ${one.seat > 0 && [html`<${Mark} of=${one.seat - 1}/>`, " "]}${this.menu.long ? `${one.key}. ${one.words}` : one.words}
    </button>`;
  }

  // What is usually meant, as the cards that it is.
  likely(rows) {
    return rows.length > 0 && html`<div class="likely cards" key="likely">${rows.map(({ row, words: said, tone, likely: { cards, times } }) => html`<button key=${row} class=${tone} style=${{ "--cards": cards.length }} aria-label=${said} aria-busy=${this.state.pressed === row} onClick=${() => this.say({ row, cards: [] })}>
      ${cards.map((card) => html`<${Picture} key=${card} name=${card} alt=${said}/>`)}${times > 1 && html`<b class="times">×${times}</b>`}
    </button>`)}</div>`;
  }

  rows(all) {
    const { cells, likely, rest } = sorted(folded(all).length ? all.filter((one) => !one.card) : all);
    const grid = cells.length > 0 && html`<${Grid} key="grid" rows=${cells} take=${({ row }) => this.say({ row, cards: [] })}/>`;
    return [grid, this.likely(likely), ...rest.map((one) => this.row(one))];
  }

  // The cards that move something on the board: of one that is chosen its plays are shown, and lit there.
  cards(all) {
    const { card } = this.state;
    const each = folded(all);
    return each.length > 0 && html`<div class="cards small" key="cards">${each.map(([name, said]) => html`<button key=${name} aria-pressed=${String(name === card)} onClick=${() => this.setState({ card: name === card ? null : name, tapped: [] })}><${Picture} name=${name} alt=${said}/></button>`)}</div>`;
  }

  render({ id, board }, { given, heard, tapped, card }) {
    const { menu } = this;
    const played = by(menu?.rows ?? [], card);
    const rows = tapped.length ? left(played, tapped) : menu && played;
    const short = menu?.rows.length > 6 && menu.rows.filter((one) => one.words.length > 9 && !one.pick).length < 2;
    const newest = (rows) => rows && menu?.long && this.scrolled !== menu && ((this.scrolled = menu), rows.scrollTo(0, rows.scrollHeight));
    return html`<section id=${id} class="talk" tabindex="-1" aria-busy=${String(this.state.pressed !== null)}>
      ${heard.words && html`<p class=${heard.tone} role="alert">${heard.words}${heard.clause && html`<${Rule} clause=${heard.clause}/>`}</p>`}
      ${menu?.told.map((one, place) => html`<${Told} key=${place} one=${one}/>`)}
      ${board && html`<${Board} board=${board} rows=${played} tapped=${tapped} tap=${(spot) => this.tap(spot)}/>`}
      ${menu && this.cards(tapped.length ? left(menu.rows, tapped) : menu.rows)}
      <div class=${menu?.long ? "rows long" : short ? "rows short" : "rows"} ref=${newest}>${rows && this.rows(rows)}</div>
      ${given.length > 0 && html`<button class="quiet" onClick=${() => this.say(null, given.slice(0, -1))}>${words.back}</button>`}
    </section>`;
  }
}

// What I chose last, in its own words: while it is sealed the table tells nobody, and this page alone knows. Kept for when it is loaded again; forgotten once another phone has the seat, which may choose otherwise.
const LAST = "chosen";
const chosen = (row) => keep(LAST, row?.words ?? "", tab);
const Sealed = () => kept(LAST, tab) && html`<p id="sealed">✔ ${kept(LAST, tab)}</p>`;

// A conversation that is opened when it is wanted.
class Opened extends Component {
  state = { open: false };

  render({ id, about, name, step, keeps }, { open }) {
    return html`<details id=${id} open=${open} onToggle=${({ target }) => this.setState({ open: target.open })}>
      <summary>${name}</summary>
      ${open && html`<${Talk} id=${about} about=${about} step=${step} keeps=${keeps} over=${() => this.setState({ open: false })}/>`}
    </details>`;
  }
}

// What is played next: one phone at a time chooses it, and the others are told whose.
const Next = ({ next, step }) => html`<${Opened} id="upcoming" about="next" name=${next || words.next_game} step=${`${step} ${next}`} keeps=${true}/>`;

// What I entered last in this round stays in sight, and can be taken back until others go on from it.
class Decided extends Component {
  state = { pressed: false };

  take = async () => {
    this.setState({ pressed: true });
    const { menu } = await tell("mine", [], null);
    if (menu?.told[0].words === this.props.words) await tell("mine", [], { row: menu.rows[0].row }, menu);
    this.setState({ pressed: false });
  };

  render({ words: said, last }, { pressed }) {
    return html`<div id="decided"><p>✔ ${said}</p>${last && html`<button aria-busy=${pressed} disabled=${pressed} onClick=${this.take}>${words.take_back}</button>`}</div>`;
  }
}

// Where cards may be held to this phone; the first that is allowed is chosen at the beginning.
class Pad extends Component {
  render({ allowed }, { where = allowed[0] }) {
    return html`<section id="pad">
      <${Reader} where=${() => this.state.where ?? allowed[0]}/>
      <div id="pad-where" role="radiogroup" aria-label=${words.pad_start}>${allowed.map((one) => html`<label key=${one} data-where=${one}>
        <input type="radio" name="where" value=${one} checked=${one === where} onChange=${() => this.setState({ where: one })}/> ${words[`pad_${one}`]}
      </label>`)}</div>
    </section>`;
  }
}

// How it ended: everybody by rank.
const Ranking = ({ rows }) => html`<ol id="ranking">${[...rows].sort((a, b) => a.rank - b.rank).map(({ name, mark, points, rank }) => html`<li key=${mark} class=${rank === 1 ? "won" : ""}><span>${rank}</span> <${Mark} of=${mark}/> <span class="name">${name}</span> <strong>${points}</strong></li>`)}</ol>`;

// What lies on the table and what was done last: with few choices it fills the room below them, else it stands beside them.
const Table = ({ state }) => html`<div id="table"><${Lying} lying=${onTable(state)}/><ol id="told">${[...state.log].reverse().map((line) => html`<li key=${line}>${line}</li>`)}</ol></div>`;

function Seat(state) {
  const { mine } = state;
  const seated = state.seats.find((seat) => seat.name === mine.name);
  const step = mine.menu.number;
  const means = [state.meaning, state.gauge?.words, state.gauge?.verdict].filter(Boolean).join(" · ");
  const may = mine.menu.rows.length > 0;
  const { cells, rest } = sorted(mine.menu.rows);
  const roomy = !state.board && mine.question === null && !cells.length && !rest.some((row) => row.pick);
  return html`<header class=${seated.awaited ? "awaited" : ""}>
      <h1><${Mark} of=${seated.mark}/> <span id="name" data-fit="0.6">${mine.name}</span></h1>
      ${seated.awaited && html`<p id="turn">${words.my_turn}</p>`}
      <p id="clock" role="timer">${time(state.clock)}</p>
      <p id="mine-points"><span>${words.my_points}</span> <${New} tag="strong" id="points" say=${seated.points}/></p>
    </header>
    <main>
      <div id="act">
        <${New} tag="h2" id="headline" tabindex="-1" say=${state.result ? (state.victory?.headline ?? state.awaited) : state.headline}/>
        ${state.result && state.victory?.remarks.map((line) => html`<p class="how" key=${line}>${line}</p>`)}
        ${state.result ? html`<${Ranking} key="ranking" rows=${state.result}/>` : html`<${New} id="meaning" say=${means}/>`}
        ${mine.question !== null && html`<${Talk} key=${mine.question} id="question" about=${mine.question} step=${0} board=${state.board}/>`}
        ${mine.sealed && html`<${Sealed} key="sealed"/>`}
        <${Talk} key="choices" id="choices" about="entering" first=${mine.menu} step=${step} board=${mine.question === null && state.board}/>
        ${mine.decided && (mine.decided.last || !may) && !mine.sealed && html`<${Decided} key="decided" ...${mine.decided}/>`}
        ${!state.result && html`<div key="awaited" id="awaited" aria-live="polite"><span class="changed" key=${state.awaited}>${state.awaited}</span></div>`}
        ${mine.next !== null && state.result && html`<${Next} key="next" ...${mine} step=${step}/>`}
        ${roomy && html`<${Table} key="table" state=${state}/>`}
        ${mine.held_for.length > 0 && canRead() && html`<${Pad} key="pad" allowed=${mine.held_for}/>`}
      </div>
      <div id="rest">
        <ol id="seats">${state.seats.map((one) => html`<li key=${one.mark} class=${one.awaited ? "awaited" : ""}><${Mark} of=${one.mark}/> <span class="name">${one.name}<${Here} who=${state.here} of=${one.mark}/></span> <span class="points">${one.points}</span><span class="facts"><${Badges} of=${one.badges}/><span class="quiet">${one.detail}</span></span></li>`)}</ol>
        <p id="mine"><${Badges} of=${seated.badges}/><span class="quiet">${seated.detail}</span></p>
        ${!roomy && html`<${Table} key="table" state=${state}/>`}
        ${mine.clause && html`<p><a id="rules" href=${`/rules#${mine.clause}`}>${fill(words.rules_at, mine)}</a></p>`}
        <details key="reasons" id="reasons"><summary>${words.why}</summary><ol id="why">${mine.why.map((one, place) => html`<li key=${place}>${one.points ? labelled(one.points, one.text) : one.text}${one.clauses.map((clause) => html`<${Rule} clause=${clause}/>`)}</li>`)}</ol></details>
        ${mine.next !== null && !state.result && html`<${Next} key="next" ...${mine} step=${step}/>`}
        <${Opened} key="right" id="right" about="righting" name=${words.put_right} step=${step}/>
        <${Opened} key="folk" about="people" name=${words.people} step=${step}/>
        <${Wishes} key="wishes"/>
      </div>
    </main>
    <${Warnings} ...${state}/>`;
}

// Two quick taps in one place are one: what the first has entered is not taken back by the second.
const [QUICK, NEAR] = [600, 24]; // ms, px
let last = { at: -QUICK };
document.addEventListener("click", (tap) => {
  const { clientX: x, clientY: y, timeStamp: at } = tap;
  const again = tap.detail > 0 && at - last.at < QUICK && Math.hypot(x - last.x, y - last.y) < NEAR;
  last = { at, x, y };
  if (again && tap.target.closest("#decided")) tap.stopPropagation();
}, true);

theme();
const draw = drawing(Seat);

// What was pressed is gone once it is entered: by keyboard or screen reader one goes on in the same part of the page, at its next choice. The part has the focus, not the choice: a key that is held down enters nothing more.
let [focused, part] = [null, ""];
document.addEventListener("focusin", ({ target }) => ([focused, part] = [target, target.closest("section[id], details[id]")?.id ?? ""]));
new MutationObserver(() => {
  if (!focused || focused.isConnected || document.activeElement !== document.body) return;
  (at(part) ?? at("headline"))?.focus({ preventScroll: true });
}).observe(at("page"), { childList: true, subtree: true });

follow({
  state(state) {
    draw(state);
    fitAll();
    const { awaited } = state.seats.find((seat) => seat.name === state.mine.name);
    const mine = awaited || state.mine.question !== null;
    document.title = mine && !state.result ? fill(words.tab_turn, state.mine) : `${state.mine.name} · ${state.game}`;
    signal(mine);
  },
  ended: (forGood) => forGood && chosen(null),
});
