// The television: draws each state as it comes.
import { at, follow, mark, piece, put, theme, time } from "./common.js";

function seats(rows) {
  at("seats").classList.toggle("many", rows.length > 7);
  at("seats").replaceChildren(...rows.map((seat) => {
    const row = piece("li", seat.awaited ? "awaited" : "");
    const name = piece("span", "name", (seat.first ? "① " : "") + seat.name);
    const badges = piece("span", "badges");
    badges.append(...seat.badges.map((one) => piece("span", one.tone, `${one.sign} ${one.word}`)));
    row.append(mark(seat.mark), name, piece("span", "points", seat.points), badges);
    return row;
  }));
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

function reasons(state) {
  const rows = state.report.map((reason) => {
    const row = piece("p", "", reason.text);
    if (reason.clauses.length) row.append(piece("span", "clause", `  ${reason.clauses.join(" ")}`));
    return row;
  });
  at("reasons").replaceChildren(...(rows.length ? rows : [piece("p", "", state.last ?? "")]));
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
  at("dots").textContent = of ? "●".repeat(Math.max(now - 1, 0)) + "◉" + "○".repeat(Math.max(of - now, 0)) : "";
  at("clock").textContent = time(state.clock);
  document.body.classList.toggle("podium", Boolean(state.result));
  if (state.result) podium(state);
  else {
    put("headline", state.headline);
    put("meaning", state.meaning);
  }
  gauge(state.gauge);
  put("awaited", state.awaited);
  seats(state.seats);
  reasons(state);
  document.body.dataset.number = state.number;
}

theme();
follow(show);
