// The lower third of a stream, and over it the cards that lie on the table or were just turned up.
import { Badges, Lying, Mark, New, Warnings, drawing, html, onTable, theme, time } from "./draw.js";
import { fitAll } from "./fit.js";
import { follow } from "./session.js";

const wishes = new URLSearchParams(location.search);

function Strip(state) {
  const { game, progress, result, headline, gauge, awaited, clock, seats, odds, seen, victory } = state;
  const won = result?.filter((row) => row.rank === 1).map((row) => row.name).join(" · ");
  return html`<${Lying} lying=${onTable(state)}/><${Warnings} ...${state}/><div id="strip">
    <div id="now">
      <${New} id="label" say=${[game, progress.label].filter(Boolean).join(" · ")}/>
      <${New} tag="h1" id="headline" say=${victory?.headline ?? won ?? headline}/>
      <${New} id="measured" tone=${result ? "accent" : gauge?.tone} say=${(result ? [victory?.remarks[0]] : [gauge?.words, gauge?.verdict]).filter(Boolean).join("  ")}/>
      <${New} id="awaited" say=${victory?.remarks.slice(1).join(" · ") || awaited}/>
      ${odds && html`<${New} id="odds" say=${`% ${odds}`}/>`}
      ${seen && html`<${New} id="seen" say=${`◉ ${seen}`}/>`}
    </div>
    <ol id="seats">${seats.map((seat) => html`<li key=${seat.mark} class=${seat.awaited ? "awaited" : ""}>
      <${Mark} of=${seat.mark}/><span class="name" data-fit="0.7">${seat.awaited ? "▶ " : ""}${seat.name}</span><span class="points">${seat.points}</span>
      <p class="badges"><${Badges} of=${seat.badges}/></p>
    </li>`)}</ol>
    <p id="clock">${time(clock)}</p>
  </div>`;
}

const scale = Number(wishes.get("scale"));
if (scale >= 0.5 && scale <= 3) document.body.style.setProperty("--scale", scale);
if (wishes.get("side") === "top") document.body.classList.add("top");
theme("dark");
const draw = drawing(Strip);
follow({
  state(state) {
    draw(state);
    fitAll();
  },
});
