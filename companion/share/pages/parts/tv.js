// The television: draws each state as it comes.
import { Board } from "./board.js";
import { Badges, Mark, New, drawing, html, theme, time } from "./draw.js";
import { follow } from "./session.js";

function Seats({ seats, rounds }) {
  return html`<ol id="seats" class=${seats.length > 7 ? "many" : ""} style=${{ "--rounds": rounds.length }}>
    <li class="labels" key="labels">${rounds.map((round, place) => html`<span class="round" key=${place} style=${{ gridColumn: 3 + place }}>${round.label}</span>`)}</li>
    ${seats.map((seat) => html`<li key=${seat.mark} class=${seat.awaited ? "awaited" : ""}>
      <${Mark} of=${seat.mark}/>
      <span class="name">${seat.first ? "① " : ""}${seat.name}</span>
      <span class="badges"><${Badges} of=${seat.badges}/></span>
      ${rounds.map((round, place) => html`<span class="round" key=${place}>${round.won[seat.mark] || "–"}</span>`)}
      <span class="points">${seat.points}</span>
    </li>`)}
  </ol>`;
}

function Gauge({ value, limit, words, verdict, tone }) {
  return html`<div id="gauge" class=${tone}>
    ${limit !== null && html`<div id="bar"><div id="fill" style=${{ width: `${100 * Math.min((value ?? 0) / limit, 1)}%` }}></div></div>`}
    <${New} id="measured" say=${words}/>
    <${New} tag="strong" id="verdict" tone=${tone} say=${verdict}/>
  </div>`;
}

// What the round came to, until the next act: it takes the gauge's place.
function Moment({ moment, rounds }) {
  const gains = rounds.at(-1)?.won ?? [];
  return html`<div id="moment" role="status" class=${moment.tone}>
    <${New} tag="strong" id="came-to" say=${moment.verdict}/>
    <${New} id="figures" say=${moment.figures}/>
    <ul id="won">${moment.won.map((row) => html`<li key=${row.mark}><${Mark} of=${row.mark}/> ${row.name} ${row.deed} <b>${gains[row.mark] || "–"}</b></li>`)}</ul>
  </div>`;
}

function Now({ result, headline, meaning, gauge, moment, rounds, awaited }) {
  const medals = ["①", "②", "③"];
  const won = result?.filter((row) => row.rank === 1).map((row) => row.name).join(" · ");
  const podium = result?.map((row) => `${medals[row.rank - 1] ?? row.rank} ${row.name} ${row.points}`).join("   ");
  return html`<section id="now" class=${result ? "podium" : ""}>
    <${New} tag="h1" id="headline" say=${won ?? headline}/>
    <${New} id="meaning" say=${podium ?? meaning}/>
    ${moment && !result ? html`<${Moment} ...${{ moment, rounds }}/>` : gauge && !result && html`<${Gauge} ...${gauge}/>`}
    <div id="awaited" aria-live="polite"><span class="changed" key=${awaited}>${awaited}</span></div>
  </section>`;
}

function Television(state) {
  const [now, of] = state.progress.at ?? [0, 0];
  const dots = of ? "●".repeat(Math.max(now - 1, 0)) + "◉" + "○".repeat(Math.max(of - now, 0)) : "";
  return html`<header>
      <span id="game">${state.game}</span>
      <span id="progress"><span id="dots" aria-hidden="true">${dots}</span> <span id="label">${state.progress.label}</span></span>
      <span id="clock" role="timer">${time(state.clock)}</span>
    </header>
    <main class=${state.board ? "with-board" : ""}>${state.board && html`<${Board} board=${state.board}/>`}<${Now} ...${state}/><${Seats} ...${state}/></main>
    <footer id="reasons" aria-live="polite">${state.report.length
      ? state.report.map((one, place) => html`<p key=${place}>${one.text}${one.clauses.length > 0 && html`<span class="clause">  ${one.clauses.join(" ")}</span>`}</p>`)
      : html`<p>${state.last}</p>`}</footer>`;
}

theme();
follow({ state: drawing(Television) });
