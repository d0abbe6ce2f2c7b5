"""What a reader of a page must never meet, measured in a browser: words that lie on each other or
on a border, that are cut off without "…", that break inside a short word, or pages that scroll
sideways."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

SIZES = {
    "television": (1920, 1080),
    "laptop": (1280, 720),
    "tablet": (1024, 768),
    "phone": (390, 844),
    "small phone": (320, 568),
    "television at 200 %": (960, 540),
    "laptop at 200 %": (640, 360),
}
"""Sizes of a page in CSS pixels. A browser that enlarges to 200 % lays out for half the size."""
NAMES = (
    "Wilhelminafriederikeanna",
    "J",
    "Maximiliane-Charlotte Zz",
    "Ö",
    "Bartholomäus-Ferdinand X",
    "Jean-Baptiste-Emmanuel M",
    "W",
    "Friederike von Hohenfels",
    "Zoé",
    "Marie-Antoinette Josèphe",
    "I",
    "Wolfgang Amadeus Theophi",
)
"""Names of one and of 24 characters, in one word and in several."""

FAULTS = r"""() => {
  const root = document.documentElement, faults = new Set();
  const still = ["tv", "stream"].includes(root.dataset.page) && innerWidth > 900 && innerWidth > innerHeight;
  if (root.scrollWidth > innerWidth + 1) faults.add(`scrolls sideways by ${root.scrollWidth - innerWidth} px`);
  if (still && root.scrollHeight > innerHeight + 1) faults.add(`scrolls by ${root.scrollHeight - innerHeight} px`);
  const APART = "#trouble, #cheers, #bar, svg, option, script, style, noscript"; // layers, and words that are pictures
  const OUT_OF_SIGHT = "#reasons, #told"; // lists that show as many whole lines as there is room for
  const shorten = (text) => text.trim().replace(/\s+/g, " ").slice(0, 50);
  const clip = (one, box) => { // the part of a box that is seen, and what was lost of it for good
    const seen = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
    let [lostX, lostY, scrolled] = [0, 0, false];
    for (let at = one; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const edge = at.getBoundingClientRect();
      const scrolls = [style.overflowX, style.overflowY].some((how) => how === "auto" || how === "scroll");
      const dots = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      if (!scrolls && !dots) lostX = Math.max(lostX, seen.right - edge.right, edge.left - seen.left);
      if (!scrolls && style.webkitLineClamp === "none") lostY = Math.max(lostY, seen.bottom - edge.bottom, edge.top - seen.top);
      scrolled ||= scrolls;
      seen.left = Math.max(seen.left, edge.left); seen.right = Math.min(seen.right, edge.right);
      seen.top = Math.max(seen.top, edge.top); seen.bottom = Math.min(seen.bottom, edge.bottom);
    }
    return { ...seen, lostX, lostY, scrolled };
  };
  const framed = (one) => { // the box with a frame in which a text stands
    for (let at = one; at && at !== document.body; at = at.parentElement)
      if (parseFloat(getComputedStyle(at).borderBottomWidth) && /^(LI|BUTTON|SECTION|TD|TH)$/.test(at.tagName)) return at;
  };
  const boxes = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, one = node.parentElement;
    if (!node.data.trim() || one.closest(APART) || !one.checkVisibility({ visibilityProperty: true })) continue;
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter((line) => line.width > 1 && line.height > 1);
    const said = shorten(node.data);
    const frame = framed(one)?.getBoundingClientRect();
    for (const line of lines) {
      const seen = clip(one, line), high = line.height;
      const part = (seen.bottom - seen.top) / high;
      const away = seen.right <= seen.left && one.closest(OUT_OF_SIGHT);
      if (away) continue;
      if (seen.lostX > 2) faults.add(`cut off at the side: ${said}`);
      if (seen.lostY > 0.3 * high && part > 0.02) faults.add(`cut across: ${said}`);
      if (seen.lostY > 0.3 * high && part <= 0.02 && !one.closest(OUT_OF_SIGHT)) faults.add(`out of sight: ${said}`);
      if (part <= 0.02 || seen.right - seen.left < 1) continue;
      if (!seen.scrolled && (seen.right > innerWidth + 2 || seen.left < -2)) faults.add(`beyond the side: ${said}`);
      if (still && seen.bottom > innerHeight + 3) faults.add(`below the screen: ${said}`);
      // Half of what is above and below the letters may meet: lines stand closer than fonts ask for.
      const [top, bottom] = [seen.top + 0.2 * high, seen.bottom - 0.2 * high];
      const inFrame = !frame || (top >= frame.top && bottom <= frame.bottom && seen.left >= frame.left && seen.right <= frame.right + 1);
      if (!inFrame) faults.add(`on a border: ${said}`);
      if (!one.closest(".times")) boxes.push({ node, one, said, left: seen.left + 1, right: seen.right - 1, top, bottom });
    }
    if (lines.length > 1)
      for (const word of node.data.matchAll(/[^\s\-\u2010\u2011/·]+/g)) {
        if (word[0].length < 2 || word[0].length > 9) continue;
        range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
        const tops = [...range.getClientRects()].map((line) => line.top);
        if (Math.max(...tops) - Math.min(...tops) > 3) faults.add(`breaks in the word: ${word[0]}`);
      }
  }
  for (const one of document.querySelectorAll("svg.mark, #board, #page img, .card.back")) {
    if (one.closest("#cheers, #bar, .likely button, .cards button") || (one.closest("svg") !== one && one.closest("svg"))) continue;
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    const seen = clip(one, one.getBoundingClientRect());
    if (seen.right - seen.left < 2 || seen.bottom - seen.top < 2) continue;
    const said = `[${one.id || one.className.baseVal || one.className}]`;
    const [left, right, top, bottom] = [seen.left + 2, seen.right - 2, seen.top + 2, seen.bottom - 2];
    boxes.push({ node: one, one, said, picture: true, left, right, top, bottom });
  }
  const layer = (one) => one.closest("#warnings, .confirm") !== null; // at the foot of what is seen, over what scrolls
  boxes.forEach((a, at) => {
    for (const b of boxes.slice(at + 1)) {
      if (a.node === b.node || layer(a.one) !== layer(b.one)) continue;
      if (a.picture && b.picture && a.one.closest("#lying, #turned") && b.one.closest("#lying, #turned")) continue;
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) faults.add(`on each other: ${a.said} | ${b.said}`);
    }
  });
  return [...faults];
}"""


DRAWN = """async () => {
  await document.fonts.ready;
  // while a picture is under way, its words stand in its place
  const awaited = [...document.images].filter((one) => !one.complete && one.loading !== "lazy");
  await Promise.all(awaited.map((one) => new Promise((done) => { one.onload = one.onerror = done; })));
  await new Promise(requestAnimationFrame);
}"""


def list_fit_faults(page: Page) -> list[str]:
    """Return what does not fit on the page as it stands."""
    page.evaluate(DRAWN)
    found: list[str] = page.evaluate(FAULTS)
    return found


def list_axe_faults(page: Page) -> list[tuple[str, list[str]]]:
    """Return the rules that axe finds broken on the page as it stands, each with the HTML that
    breaks it: contrast, names, sizes of what is touched (WCAG 2.2, 24 px) and others."""
    file = Path(axe_playwright_python.__file__).with_name("axe.min.js")
    # Evaluated by the browser itself: the page's policy lets no script of others in.
    page.evaluate(file.read_text(encoding="utf-8"))
    found = page.evaluate("tags => axe.run({ runOnly: tags })", ["wcag2a", "wcag2aa", "wcag22aa"])
    assert {"color-contrast", "target-size"} <= {
        one["id"] for one in (*found["passes"], *found["violations"])
    }
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]
