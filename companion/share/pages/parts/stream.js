// The lower third of a stream.
import { at, fill, follow, mark, piece, put, theme, time, write } from "./common.js";

const wishes = new URLSearchParams(location.search);

function show(state) {
  put("label", `${state.game} · ${state.progress.label}`);
  put("headline", state.result ? state.result.filter((row) => row.rank === 1).map((row) => row.name).join(" · ") : state.headline);
  put("measured", [state.gauge?.words ?? "", state.gauge?.verdict ?? ""].filter(Boolean).join("  "));
  at("measured").className = state.gauge?.tone ?? "";
  put("awaited", state.awaited);
  write("clock", time(state.clock));
  fill("seats", state.seats, (seats) => seats.map((seat) => {
    const row = piece("li", seat.awaited ? "awaited" : "");
    row.append(mark(seat.mark), ` ${seat.awaited ? "▶ " : ""}${seat.name}`, piece("span", "points", seat.points));
    return row;
  }));
  document.body.dataset.number = state.number;
}

const scale = Number(wishes.get("scale"));
if (scale >= 0.5 && scale <= 3) document.body.style.setProperty("--scale", scale);
if (wishes.get("side") === "top") document.body.classList.add("top");
theme("dark");
follow(show);
