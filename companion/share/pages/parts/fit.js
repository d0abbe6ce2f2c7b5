// Type that fits by measure: an element with `data-fit` becomes smaller until its words stand within it, down to that part of its size; what is still too long then is cut by its style, with "…". A section is measured by its height, a list by that of its items: what is too wide in them fits itself.
const STEP = 0.94;

const isHigh = (one) => one.scrollHeight > one.clientHeight + 1;
const leavesItem = (part) => { // above, too, which no scrolled height tells
  const [own, item] = [part, part.parentElement].map((one) => one.getBoundingClientRect());
  return own.height > 0 && (own.top < item.top - 1 || own.bottom > item.bottom + 1);
};
const FULL = { OL: (one) => isHigh(one) || [...one.querySelectorAll(":scope > li > *")].some(leavesItem), SECTION: isHigh };
const isFull = (one) => isHigh(one) || one.scrollWidth > one.clientWidth + 1;

export function fitAll() {
  const all = [...document.querySelectorAll("[data-fit]")]; // what is around others comes before them
  for (const one of all) one.style.fontSize = ""; // all of them first: each changes the room of the next
  for (const one of all) {
    const overflows = FULL[one.tagName] ?? isFull;
    const usual = parseFloat(getComputedStyle(one).fontSize);
    for (let size = usual; overflows(one) && size > usual * Number(one.dataset.fit); ) one.style.fontSize = `${(size *= STEP)}px`;
  }
}

// Whoever draws fits afterwards; the room and the letters also change by themselves.
addEventListener("resize", fitAll);
document.fonts?.ready.then(fitAll);
