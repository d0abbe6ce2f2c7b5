// Type that fits by measure: an element with `data-fit` becomes smaller until its words stand within it, down to that part of its size; what is still too long then is cut by its style, with "…".
const STEP = 0.94;

const overflows = (one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;

export function fitAll() {
  const all = [...document.querySelectorAll("[data-fit]")];
  for (const one of all) one.style.fontSize = ""; // all of them first: each changes the room of the next
  for (const one of all) {
    const usual = parseFloat(getComputedStyle(one).fontSize);
    for (let size = usual; overflows(one) && size > usual * Number(one.dataset.fit); ) one.style.fontSize = `${(size *= STEP)}px`;
  }
}
