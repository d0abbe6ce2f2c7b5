// The television: draws each state as it comes.
import { at, fill, follow, mark, piece, put, theme, time, write } from "./common.js";

function seats([rows, rounds]) {
  at("seats").classList.toggle("many", rows.length > 7);
  at("seats").style.setProperty("--rounds", rounds.length);
  const labels = piece("li", "labels");
  labels.append(...rounds.map((round, place) => {
    const label = piece("span", "round", round.label);
    label.style.gridColumn = 3 + place;
    return label;
  }));
  return [labels, ...rows.map((seat) => {
    const row = piece("li", seat.awaited ? "awaited" : "");
    const name = piece("span", "name", (seat.first ? "① " : "") + seat.name);
    const badges = piece("span", "badges");
    badges.append(...seat.badges.map((one) => piece("span", one.tone, `${one.sign} ${one.word}`)));
    const won = rounds.map((round) => piece("span", "round", round.won[seat.mark] || "–"));
    row.append(mark(seat.mark), name, badges, ...won, piece("span", "points", seat.points));
    return row;
  })];
}

function gauge(one) {
  at("gauge").hidden = !one;
  if (!one) return;
  at("gauge").className = one.tone;
  const full = one.limit ? Math.min((one.value ?? 0) / one.limit, 1) : 0;
  at("fill").style.width = `${100 * full}%`;
  at("bar").hidden = one.limit === null;
  put("measured", one.words);
  put("verdict", one.verdict);
  at("verdict").className = one.tone;
}

function reasons([report, last]) {
  if (!report.length) return [piece("p", "", last ?? "")];
  return report.map((reason) => {
    const row = piece("p", "", reason.text);
    if (reason.clauses.length) row.append(piece("span", "clause", `  ${reason.clauses.join(" ")}`));
    return row;
  });
}

// What the round came to, until the next act: it takes the gauge's place.
function moment(one, rounds) {
  at("moment").hidden = !one;
  if (!one) return;
  const gains = rounds.at(-1)?.won ?? [];
  at("gauge").hidden = true;
  at("moment").className = one.tone;
  put("came-to", one.verdict);
  put("figures", one.figures);
  fill("won", one.won.map((row) => [row, gains[row.mark] || "–"]), (won) => won.map(([row, gain]) => {
    const item = piece("li", "", "");
    item.append(mark(row.mark), ` ${row.name} ${row.deed} `, piece("b", "", gain));
    return item;
  }));
}

function podium(state) {
  const medals = ["①", "②", "③"];
  put("headline", state.result.filter((row) => row.rank === 1).map((row) => row.name).join(" · "));
  put("meaning", state.result.map((row) => `${medals[row.rank - 1] ?? row.rank} ${row.name} ${row.points}`).join("   "));
}

function show(state) {
  document.documentElement.lang = state.language;
  put("game", state.game);
  put("label", state.progress.label);
  const [now, of] = state.progress.at ?? [0, 0];
  write("dots", of ? "●".repeat(Math.max(now - 1, 0)) + "◉" + "○".repeat(Math.max(of - now, 0)) : "");
  write("clock", time(state.clock));
  document.body.classList.toggle("podium", Boolean(state.result));
  if (state.result) podium(state);
  else {
    put("headline", state.headline);
    put("meaning", state.meaning);
  }
  gauge(state.gauge);
  moment(state.result ? null : state.moment, state.rounds);
  put("awaited", state.awaited);
  fill("seats", [state.seats, state.rounds], seats);
  fill("reasons", [state.report, state.last], reasons);
  document.body.dataset.number = state.number;
}

theme();
follow(show);
