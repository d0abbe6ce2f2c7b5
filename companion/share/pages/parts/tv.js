// The television: draws each state as it comes.
import { Board } from "./board.js";
import { fitAll } from "./fit.js";
import { Badges, Card, Here, Lying, Mark, New, Picture, Warnings, drawing, html, ink, theme, time, words } from "./draw.js";
import { follow } from "./session.js";

const WHOLE = "\u2011"; // a hyphen at which no line breaks: "Hand-picked" is one word

function Seats({ seats, rounds, result, here, board, warnings }) {
  return html`<ol id="seats" data-fit="0.35" class=${[board && warnings.length > 0 && "many", (rounds.length > 5 || result) && "wide", result && "over"].filter(Boolean).join(" ")} style=${{ "--rounds": Math.max(rounds.length, 1) }}>
    <li class="labels" key="labels">${rounds.map((round, place) => html`<span class="round" key=${place} style=${{ gridColumn: 3 + place }}>${round.label}</span>`)}</li>
    ${seats.map((seat) => html`<li key=${seat.mark} class=${seat.awaited && !result ? "awaited" : ""}>
      <${Mark} of=${seat.mark}/>
      <span class="name" data-fit="0.6">${seat.first && !result ? "① " : ""}${seat.name}<${Here} who=${here} of=${seat.mark}/></span>
      <span class="badges"><${Badges} of=${seat.badges}/></span>
      ${rounds.map((round, place) => html`<span class="round" key=${place} style=${{ gridColumn: 3 + place }}>${round.won[seat.mark] || "–"}</span>`)}
      <span class="points">${seat.points}</span>
    </li>`)}
  </ol>`;
}

// How full it is: one part for each card seen so far, in its owner's colour and as wide as its number, up to the limit and beyond.
function Gauge({ value, limit, words: said, verdict, tone, parts }) {
  const whole = Math.max(limit ?? 0, value ?? 0, parts.reduce((sum, part) => sum + part.size, 0));
  const adds = parts.length > 0 && (value === null || parts.reduce((sum, part) => sum + part.size, 0) === value);
  const filled = adds
    ? parts.map((part, place) => html`<i key=${place} style=${{ width: `${(100 * part.size) / whole}%`, background: ink(part.mark) }}><${Mark} of=${part.mark}/>${part.size}</i>`)
    : html`<div id="fill" style=${{ width: `${whole ? (100 * (value ?? 0)) / whole : 0}%` }}></div>`;
  return html`<div id="gauge" class=${tone}>
    ${limit !== null && html`<div id="bar">${filled}<b id="limit" style=${{ left: `${whole ? (100 * limit) / whole : 100}%` }}></b></div>`}
    <${New} id="measured" say=${said}/>
    <${New} tag="strong" id="verdict" tone=${tone} say=${verdict}/>
  </div>`;
}

// What the round came to, until the next act. Cards turn up one by one, then it is told what they came to, and what hands must do; points and reasons wait, too (look.css).
function Moment({ moment }) {
  return html`<div id="moment" role="status" class=${moment.tone} key=${moment.figures}>
    ${moment.cards.length > 0 && html`<ol id="turned" style=${{ "--count": moment.cards.length }}>${moment.cards.map((card, place) => html`<li key=${place} class=${moment.turned.length ? "drawn" : ""} style=${{ "--after": `${0.35 * place}s` }}>${moment.turned.length ? html`<${Card} name=${moment.turned[place]}/>` : card}</li>`)}</ol>`}
    <${New} tag="strong" id="came-to" data-fit="0.5" say=${moment.verdict}/>
    ${moment.takes.map((take) => html`<p class="take" key=${take.words}><${Mark} of=${take.mark}/> ${take.words}</p>`)}
    <${New} id="figures" say=${moment.figures}/>
    <ul id="won">${moment.won.map((row) => html`<li key=${row.mark}><${Mark} of=${row.mark}/> ${row.name} ${row.deed} <b>${row.points}</b></li>`)}</ul>
  </div>`;
}

// Signs of the winners that fall once over the page, where movement is welcome (tv.css).
const FALLING = 28;
const Cheers = ({ marks }) => html`<div id="cheers" aria-hidden="true">${Array.from({ length: FALLING }, (_, place) => html`<i key=${place} style=${{ left: `${(place * 37) % 100}%`, animationDelay: `${(place * 13) % 20 / 10}s`, fontSize: `${1.2 + (place % 4) * 0.5}em` }}><${Mark} of=${marks[place % marks.length]}/></i>`)}</div>`;

// The end of the game: who won, by how much, when it was decided; and everybody on steps as high as their rank, where no board takes their room.
function Podium({ result, victory, board, report, log }) {
  const first = result.filter((row) => row.rank === 1);
  const steps = [...result.filter((row) => row.rank <= 3)].sort((a, b) => a.rank - b.rank).slice(0, 4);
  const won = victory?.headline ?? first.map((row) => row.name).join(" + ");
  return html`<section id="now" data-fit="0.6" class="podium">
    <${Cheers} marks=${first.map(({ mark }) => mark)}/>
    <h1 id="headline" data-fit="0.4">${won}</h1>
    ${victory?.remarks.map((line) => html`<p class="how" key=${line}>${line}</p>`)}
    ${!board && html`<ol id="podium">${steps.map((row, place) => html`<li key=${row.mark} class=${`step-${row.rank}`} style=${{ order: [2, 1, 3, 4][place] }}>
      <${Mark} of=${row.mark}/><span class="name" data-fit="0.35">${row.name}</span><strong>${row.points}</strong><b>${row.rank}</b>
    </li>`)}</ol>`}
    <${Reasons} ...${{ report, log }}/>
  </section>`;
}

// Why it came to this; in between, what was done last. From the bottom up, whole lines as far as there is room: what does not fit goes to a second column, out of sight (the last line, too: it is not the first thing that stands there, tv.css).
function Reasons({ report, log }) {
  return html`<div id="reasons" aria-live="polite">${report.length
    ? report.map((one, place) => html`<p key=${place}>${one.text}${one.clauses.length > 0 && html`<span class="clause">  ${one.clauses.join(" ")}</span>`}</p>`).reverse()
    : log.map((line) => html`<p key=${line}>${line}</p>`).reverse()}</div>`;
}

function Now({ picture, lying, headline, meaning, gauge, moment, awaited, report, log }) {
  return html`<section id="now" data-fit="0.5" class=${picture || gauge || moment || lying.length ? "" : "bare"}>
    <div id="top">
      ${picture && html`<${Picture} id="card" key=${picture} class="turned" name=${picture}/>`}
      <div id="what"><${New} tag="h1" id="headline" data-fit="0.3" say=${headline.replaceAll("-", WHOLE)}/><${New} id="meaning" say=${meaning}/></div>
    </div>
    ${moment && html`<${Moment} moment=${moment}/>`}
    ${lying.length > 0 && html`<${Lying} lying=${lying}/>`}
    ${gauge && html`<${Gauge} ...${gauge}/>`}
    <${Reasons} ...${{ report, log }}/>
    <div id="awaited" aria-live="polite"><span class="changed" key=${awaited}>${awaited}</span></div>
  </section>`;
}

function Television(state) {
  const [now, of] = state.progress.at ?? [0, 0];
  const after = { "--after": `${0.35 * (state.moment?.cards.length ?? 0)}s` };
  const dots = of ? "●".repeat(Math.max(now - 1, 0)) + "◉" + "○".repeat(Math.max(of - now, 0)) : "";
  return html`<header>
      <span id="game">${state.game}</span>
      <span id="progress"><span id="dots" aria-hidden="true">${dots}</span> <span id="label">${state.progress.label}</span></span>
      ${state.join && html`<span id="join">${words.to_join} ${state.join.replace(/^https?:\/\//, "")}</span>`}
      <span id="clock" role="timer">${time(state.clock)}</span>
    </header>
    <${Warnings} ...${state}/>
    <main class=${state.board ? "with-board" : ""} style=${after}>${state.board && html`<${Board} board=${state.board}/>`}<${state.result ? Podium : Now} ...${state}/><${Seats} ...${state}/></main>`;
}

theme();
const draw = drawing(Television);
follow({
  state(state) {
    document.title = [state.awaited || state.headline, state.game].filter(Boolean).join(" · ");
    draw(state);
    fitAll();
  },
});
