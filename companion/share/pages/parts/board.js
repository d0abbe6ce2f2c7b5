// A game's board: its own picture, the pawns over it, the last move as a line. With `rows`, what may be tapped is lit: a pawn, then where it goes; who is left alone of the rows is taken.
import { Component, SHAPES, html } from "./draw.js";

const SIDE = 160; // units; a pawn is 7 wide
const INKS = ["#c4161c", "#1f6fd0", "#0a8f5b", "#f7de1e"]; // as printed

// The rows that these taps leave: from where, then to where.
export const left = (rows, [from, to]) => rows.filter(({ spots }) => spots?.some((pair) => (!from || pair[0] === from) && (!to || pair[1] === to)));

const name = ({ seat, number }) => `${seat} ${number}`;

export class Board extends Component {
  lines = [];

  // What moved since the last state; a pawn that was sent home has no line of its own.
  follow(pieces) {
    const was = this.was ?? {};
    const moved = pieces.filter((one) => was[name(one)] && was[name(one)].spot !== one.spot);
    if (moved.length) this.lines = moved.filter((one) => !one.spot.startsWith("base")).map((one) => [was[name(one)], one]);
    this.was = Object.fromEntries(pieces.map((one) => [name(one), one]));
  }

  render({ board, rows = [], tapped = [], tap }) {
    this.follow(board.pieces);
    const open = left(rows, tapped.slice(0, 1)).flatMap(({ spots }) => spots);
    const lit = tapped.length ? open.filter(([from]) => from === tapped[0]).map(([, to]) => to) : open.map(([from]) => from);
    const at = ([x, y]) => ({ cx: x * SIDE, cy: y * SIDE });
    const pieces = board.pieces.map((one) => html`<g key=${name(one)} class="pawn" style=${{ transform: `translate(${one.x * SIDE}px, ${one.y * SIDE}px)` }}>
      <circle r="3.7" fill=${INKS[one.seat - 1]} stroke="#23262b" stroke-width=".6"/>
      <path d=${SHAPES[one.seat - 1][1]} transform="scale(.045)" fill="#fffdf6" stroke="#23262b" stroke-width="6"/>
    </g>`);
    // Of a base any pawn stands for all of it: each is lit.
    const places = [...new Set(lit)].flatMap((spot) => {
      const pawns = board.pieces.filter((one) => one.spot === spot && spot.startsWith("base"));
      return pawns.length ? pawns.map((one) => [spot, [one.x, one.y]]) : board.spots[spot] ? [[spot, board.spots[spot]]] : [];
    });
    return html`<svg id="board" viewBox="0 0 ${SIDE} ${SIDE}" aria-hidden="true" onClick=${() => tap?.(null)}>
      <image href="/board.svg" width=${SIDE} height=${SIDE}/>
      ${this.lines.flatMap(([from, to]) => ["#23262b", INKS[to.seat - 1]].map((ink, upper) => html`<line key=${`${name(to)} ${upper}`} class=${upper ? "way" : "way edge"} x1=${from.x * SIDE} y1=${from.y * SIDE} x2=${to.x * SIDE} y2=${to.y * SIDE} stroke=${ink}/>`))}
      ${pieces}
      ${tapped[0] && board.spots[tapped[0]] && html`<circle class="tapped" r="5" ...${at(board.spots[tapped[0]])}/>`}
      ${places.map(([spot, place], number) => html`<circle key=${`${spot} ${number}`} class="lit" data-spot=${spot} r="4.9" ...${at(place)} onClick=${(event) => { event.stopPropagation(); tap?.(spot); }}/>`)}
    </svg>`;
  }
}
