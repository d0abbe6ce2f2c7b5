// The lower third of a stream, and over it the cards that lie on the table or were just turned up.
import { Badges, Lying, Mark, New, drawing, html, theme, time } from "./draw.js";
import { follow } from "./session.js";

const wishes = new URLSearchParams(location.search);

function Strip({ game, progress, result, headline, gauge, awaited, clock, seats, picture, lying, moment, odds, seen }) {
  const won = result?.filter((row) => row.rank === 1).map((row) => row.name).join(" · ");
  const turned = moment?.turned.length ? [{ cards: moment.turned, words: moment.verdict, seat: 0, leads: true }] : [];
  const about = picture && !lying.length ? [{ cards: [picture], words: headline, seat: 0 }] : [];
  return html`<${Lying} lying=${result ? [] : [...turned, ...about, ...lying]}/><div id="strip">
    <div id="now">
      <${New} id="label" say=${[game, progress.label].filter(Boolean).join(" · ")}/>
      <${New} tag="h1" id="headline" say=${won ?? headline}/>
      <${New} id="measured" tone=${gauge?.tone} say=${[gauge?.words, gauge?.verdict].filter(Boolean).join("  ")}/>
      <${New} id="awaited" say=${awaited}/>
      ${odds && html`<${New} id="odds" say=${`% ${odds}`}/>`}
      ${seen && html`<${New} id="seen" say=${`◉ ${seen}`}/>`}
    </div>
    <ol id="seats">${seats.map((seat) => html`<li key=${seat.mark} class=${seat.awaited ? "awaited" : ""}>
      <${Mark} of=${seat.mark}/> ${seat.awaited ? "▶ " : ""}${seat.name}<span class="points">${seat.points}</span>
      <p class="badges"><${Badges} of=${seat.badges}/></p>
    </li>`)}</ol>
    <p id="clock">${time(clock)}</p>
  </div>`;
}

const scale = Number(wishes.get("scale"));
if (scale >= 0.5 && scale <= 3) document.body.style.setProperty("--scale", scale);
if (wishes.get("side") === "top") document.body.classList.add("top");
theme("dark");
follow({ state: drawing(Strip) });
