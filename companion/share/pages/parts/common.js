// What all pages share: handing in the link's token for a pass, following the table, and the players' marks.

export const at = (id) => document.getElementById(id);

// Take the token from behind the `#`, hand it in once, and forget it: it then stands in no address and no history.
export async function enter() {
  const token = location.hash.slice(1);
  if (!token) return true;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    const answer = await fetch("/enter", { method: "POST", body: JSON.stringify({ token }) });
    return answer.ok;
  } catch {
    return true; // no answer at all: following says that the line is lost, and an earlier pass may still hold
  }
}

export function trouble(words) {
  at("trouble").textContent = words;
  at("trouble").hidden = !words;
}

// Follow the table for ever; a lost line is taken up again within a second or two.
export async function follow(show, from = "/live") {
  if (!(await enter())) {
    trouble(document.body.dataset.noLink);
    return;
  }
  const listen = () => {
    const source = new EventSource(from);
    source.onmessage = (event) => {
      trouble("");
      show(JSON.parse(event.data));
    };
    source.onerror = () => {
      trouble(document.body.dataset.lost);
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 1500);
    };
  };
  listen();
}

// The players' signs, as shapes of their own in colours of their own (told apart in grey and by the colour-blind).
const SHAPES = [
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

export function mark(number) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  const [ink, outline] = SHAPES[number % SHAPES.length];
  drawing.setAttribute("viewBox", "-50 -50 100 100");
  drawing.setAttribute("class", "mark");
  drawing.setAttribute("aria-hidden", "true");
  path.setAttribute("d", outline);
  path.setAttribute("fill", ink);
  path.setAttribute("stroke", "currentColor");
  path.setAttribute("stroke-width", "4");
  drawing.append(path);
  return drawing;
}

export function piece(tag, className, words = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = words;
  return made;
}

export function put(id, words) {
  const place = at(id);
  if (place.textContent === words) return;
  place.textContent = words;
  place.classList.remove("changed");
  void place.offsetWidth; // begins the movement anew
  place.classList.add("changed");
}

export function time(clock) {
  if (!clock) return "";
  if (clock.paused) return "‖";
  if (clock.left === null) return "";
  const left = Math.max(Math.ceil(clock.left), 0);
  const sign = { none: "", soon: " !", up: " !!" }[clock.warning];
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}${sign}`;
}

export function theme(usual) {
  const wanted = new URLSearchParams(location.search).get("theme") ?? usual;
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
}
