// The phone as camera: JPEG pictures through a socket, each new one as soon as the table has taken the last, so that the newest always wins.
import { at, html, keep, kept, render, words } from "./draw.js";
import { follow, say, trouble } from "./session.js";

const SIZES = [640, 960, 1280, 1920]; // pixels, of the longer side
const USUAL = 1280;
const QUALITY = 0.85;
const POOREST = 0.5;
const LARGEST = 1_900_000; // bytes; the table takes no more than 2,000,000 at once
const OLD = 1000; // ms for which nobody is told that the table sees nothing new
const STILL = 3000; // ms without a new picture of the camera, after which it counts as stopped
const LOOK = 250; // ms between two looks whether it has
const AGAIN = 3000; // ms between two attempts to start it again
const COUNTED = 2000; // ms over which pictures are counted
const STANDS = 0.5; // sine of the slope from which a phone stands rather than lies
const NEAR = 35; // degrees to a quarter turn within which it counts as turned so

// What its owner chose on this phone: whether it films, with which lens, how large, how near, with light, turned by how many quarters.
const wish = { size: USUAL, zoom: 0, turn: 0, ...JSON.parse(kept("camera") || "{}") };
const wishes = (some) => keep("camera", JSON.stringify(Object.assign(wish, some)));

let media = null;
let can = {}; // what the lens can do
let lenses = [];
let why = ""; // why the table gets no pictures: "taken" by another program, "away": nobody looks at this page
let opening = false; // whether it is being started
let tried = 0; // when it was last tried to start it again
let awake = null;
let running = false;
let free = false; // whether the table takes a picture now
let over = false; // whether another phone is the camera
let busy = false; // whether a picture is being packed
let heard = 0; // when the table said that it takes one
let newest = null; // when the picture was taken that has not been sent yet
let moved = 0; // when the camera gave a picture last
let seen = 0; // when the picture was taken that the table took last
let going = 0; // and that which is on its way
let quality = QUALITY;
let late = 0; // ms, as the table found
let counted = { since: 0, pictures: 0, bytes: 0 };
let cost = null;

const track = () => media?.getVideoTracks()[0];
const video = () => at("picture");
const now = () => performance.now();

const size = () => ({ width: { ideal: wish.size }, height: { ideal: (wish.size * 9) / 16 }, frameRate: { ideal: 30 } });

async function open() {
  opening = true;
  try {
    await reopen();
  } finally {
    opening = false;
  }
}

async function reopen() {
  for (const one of media?.getTracks() ?? []) one.stop();
  const lens = wish.lens ? { deviceId: { ideal: wish.lens } } : { facingMode: { ideal: "environment" } };
  const wanted = { audio: false, video: { ...lens, ...size() } };
  // A lens or size that was chosen on this phone once may be gone: then any camera will do.
  media = await navigator.mediaDevices.getUserMedia(wanted).catch((fault) => {
    if (fault.name !== "OverconstrainedError") throw fault;
    return navigator.mediaDevices.getUserMedia({ audio: false, video: true });
  });
  video().srcObject = media;
  await video().play();
  moved = now();
  const mine = track();
  can = mine.getCapabilities?.() ?? {};
  const all = await navigator.mediaDevices.enumerateDevices();
  lenses = all.filter(({ kind, deviceId }) => kind === "videoinput" && deviceId);
  asked = {};
  if (can.zoom && wish.zoom) asked.zoom = Math.min(Math.max(wish.zoom, can.zoom.min), can.zoom.max);
  if (can.torch && wish.lamp) asked.torch = true;
  // A focus and an exposure that stay let the table be learnt; a browser that cannot goes on as it is.
  await apply(modes("continuous"));
  setTimeout(() => mine === track() && apply(modes("manual")), 3000);
}

let asked = {}; // of the lens; what is asked replaces all that was asked before

async function apply(more) {
  Object.assign(asked, more);
  if (!Object.keys(asked).length) return;
  const advanced = Object.entries(asked).map(([what, value]) => ({ [what]: value }));
  await track()?.applyConstraints({ ...size(), advanced }).catch(() => {});
}

const modes = (mode) => Object.fromEntries(["focusMode", "exposureMode", "whiteBalanceMode"].filter((one) => can[one]?.includes(mode)).map((one) => [one, mode]));

async function stayAwake() {
  try {
    awake = await navigator.wakeLock?.request("screen");
  } catch {
    awake = null;
  }
}

// which way is up

let up = null; // quarter turns of the phone to the left, as far as it stands
let flat = null; // how far it leans from lying flat, in degrees
let level = window.DeviceOrientationEvent?.requestPermission ? "ask" : "free";

// An iPhone tells how it leans only once its owner has allowed it, by a tap.
async function askLevel() {
  if (level === "free") return;
  const answer = await window.DeviceOrientationEvent.requestPermission().catch(() => "ask");
  level = answer === "granted" ? "free" : "ask";
  draw();
}

window.addEventListener("deviceorientation", ({ beta, gamma }) => {
  if (beta === null || gamma === null) return;
  const first = !flat;
  flat = { beta, gamma };
  const [b, g] = [(beta * Math.PI) / 180, (gamma * Math.PI) / 180];
  const [x, y] = [-Math.cos(b) * Math.sin(g), Math.sin(b)]; // upwards, as seen on the phone
  if (Math.hypot(x, y) > STANDS) {
    const angle = (Math.atan2(x, y) * 180) / Math.PI;
    const quarter = Math.round(angle / 90);
    if (Math.abs(angle - quarter * 90) < NEAR) up = (quarter + 4) % 4;
  }
  if (first) draw();
  const dot = at("level")?.firstElementChild;
  if (!dot) return;
  const reach = (lean) => `${50 + Math.max(-45, Math.min(45, lean))}%`;
  [dot.style.left, dot.style.top] = [reach(gamma), reach(beta)];
  at("level").classList.toggle("flat", Math.abs(beta) < 4 && Math.abs(gamma) < 4);
});

// Quarter turns to the left that bring the picture upright. The browser turns it with the screen; a screen that is locked stays behind the phone, and one that lies flat may turn by chance.
function turns() {
  const screenTurned = Math.round((screen.orientation?.angle ?? 0) / 90);
  up ??= screenTurned;
  const ahead = track()?.getSettings?.().facingMode === "user" ? screenTurned - up : up - screenTurned;
  return (((ahead + wish.turn) % 4) + 4) % 4;
}

// pictures

const sheet = window.OffscreenCanvas ? new OffscreenCanvas(1, 1) : document.createElement("canvas");

// Off the screen a browser packs at once; a canvas of the page waits until the page has nothing else to do.
function packed() {
  const { videoWidth: wide, videoHeight: high } = video();
  const scale = Math.min(1, SIZES.at(-1) / Math.max(wide, high));
  const [width, height] = [Math.round(wide * scale), Math.round(high * scale)];
  const turned = turns();
  const [across, down] = turned % 2 ? [height, width] : [width, height];
  if (sheet.width !== across || sheet.height !== down) [sheet.width, sheet.height] = [across, down];
  const pen = sheet.getContext("2d", { alpha: false });
  pen.resetTransform();
  pen.translate(sheet.width / 2, sheet.height / 2);
  pen.rotate((-turned * Math.PI) / 2);
  pen.drawImage(video(), -width / 2, -height / 2, width, height);
  if (sheet.convertToBlob) return sheet.convertToBlob({ type: "image/jpeg", quality });
  return new Promise((done) => sheet.toBlob(done, "image/jpeg", quality));
}

// Send the newest picture, if there is one and the table takes it. Before it, four bytes: the milliseconds from the table's word that it takes one to the moment at which this one was taken.
async function pass() {
  if (!running || why || !free || busy || newest === null || !video().videoWidth) return;
  busy = true;
  const taken = newest;
  newest = null;
  const blob = await packed().catch(() => null);
  busy = false;
  if (blob && blob.size > LARGEST) quality = Math.max(quality - 0.1, POOREST);
  else if (blob && free) {
    const body = new Uint8Array(4 + blob.size);
    new DataView(body.buffer).setInt32(0, Math.round(taken - heard));
    body.set(new Uint8Array(await blob.arrayBuffer()), 4);
    if (say(body.buffer)) {
      [free, going] = [false, taken];
      counted.pictures += 1;
      counted.bytes += body.length;
    }
  }
  pass();
}

const counts = "requestVideoFrameCallback" in HTMLVideoElement.prototype;

// Each new picture of the camera, once.
function count(moment, { captureTime } = {}) {
  moved = now();
  newest = captureTime > moved - STILL && captureTime <= moved ? captureTime : moved;
  pass();
  if (counts) video().requestVideoFrameCallback(count);
}

// when it stops

// Another program, or a call, takes the camera: its track ends, is muted, or just gives no more pictures.
function stopped() {
  const mine = track();
  return !mine || mine.readyState === "ended" || mine.muted || (counts && now() - moved > STILL);
}

const tellWhy = () => say({ type: "status", blind: why });

// Tell the phone's owner and the table when there are no pictures; try to start the camera again for as long as it is allowed.
async function mind() {
  if (!running) return;
  const hidden = document.visibilityState !== "visible";
  if (!hidden && why === "away") moved = now(); // out of sight it was shown no pictures
  const reason = hidden ? "away" : opening ? why : stopped() ? "taken" : "";
  if (reason !== why) {
    why = reason;
    trouble(why === "taken" ? words.camera_blind : "");
    tellWhy();
    pass();
  }
  reckon();
  draw();
  if (why === "taken" && now() - tried > AGAIN) {
    tried = Infinity; // until this attempt has ended, which may take a person's answer
    const fault = await open().catch((one) => one);
    if (fault?.name !== "NotAllowedError") tried = now();
  }
}

function begun() {
  [cost, counted] = [null, { since: now(), pictures: 0, bytes: 0 }];
}

function reckon() {
  const lasted = now() - counted.since;
  if (lasted < COUNTED) return;
  cost = { rate: (1000 * counted.pictures) / lasted, bytes: (1000 * counted.bytes) / lasted };
  Object.assign(counted, { since: now(), pictures: 0, bytes: 0 });
}

// Tell the table how the battery is, now and whenever that changes; a browser that does not know says nothing.
async function tellBattery() {
  const state = await navigator.getBattery?.().catch(() => null);
  if (!state) return;
  const tell = () => say({ type: "status", battery: { level: Math.round(state.level * 100), charging: state.charging } });
  state.onlevelchange = tell;
  state.onchargingchange = tell;
  tell();
}

// What to do about a camera that does not start, by the browser's name for the fault (Media Capture and Streams, 10.2).
const FAULTS = { NotAllowedError: "camera_denied", SecurityError: "camera_denied", NotFoundError: "camera_none", OverconstrainedError: "camera_none", NotReadableError: "camera_busy", AbortError: "camera_busy" };
const remedy = ({ name }) => words[FAULTS[name] ?? "camera_failed"];

async function start() {
  try {
    await open();
  } catch (fault) {
    trouble(remedy(fault));
    return;
  }
  trouble("");
  wishes({ on: true });
  if (running) return; // it had stopped: `mind` sees that it goes on
  running = true;
  seen = now();
  newest = null;
  begun();
  draw();
  tellWhy();
  pass();
  await stayAwake();
}

function stop() {
  [running, why] = [false, ""];
  for (const one of media?.getTracks() ?? []) one.stop();
  media = null;
  awake?.release();
  draw();
}

// Use another lens or size at once.
async function change(some) {
  wishes(some);
  const fault = await open().catch((one) => one);
  trouble(fault ? remedy(fault) : "");
  draw();
}

// what stands on the phone

const filled = (said, values) => said.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const decimal = (value) => value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

// How old what the table sees is, if that must be said; else what it costs.
function told() {
  const old = now() - seen;
  if (old > OLD) return ["bad", filled(words.camera_old, { seconds: Math.floor(old / 1000) })];
  const slow = late > OLD ? ` ${words.camera_slow}` : "";
  if (!cost) return ["", ""];
  const values = { rate: Math.round(cost.rate), kilobytes: Math.round(cost.bytes / 1000), late: decimal(late / 1000) };
  return [slow && "bad", `${sheet.width} × ${sheet.height} · ${filled(words.camera_cost, values)}${slow}`];
}

const Choice = ({ id, label, of, value, then }) => html`<label>${label}
  <select id=${id} onChange=${({ target }) => then(target.value)}>${of.map(([one, said]) => html`<option key=${one} value=${one} selected=${String(one) === String(value)}>${said}</option>`)}</select>
</label>`;

function Settings() {
  const largest = Math.max(can.width?.max ?? 0, can.height?.max ?? 0) || SIZES.at(-1);
  const sizes = SIZES.filter((one) => one <= largest).map((one) => [one, `${one} × ${(one * 9) / 16}`]);
  const near = wish.zoom || (track()?.getSettings?.().zoom ?? 1);
  return html`<details id="settings"><summary>${words.camera_settings}</summary><div>
    ${lenses.length > 1 && html`<${Choice} id="lens" label=${words.camera_lens} of=${lenses.map((one, place) => [one.deviceId, one.label || `${place + 1}`])} value=${track()?.getSettings().deviceId} then=${(lens) => change({ lens })}/>`}
    <${Choice} id="size" label=${words.camera_size} of=${sizes} value=${wish.size} then=${(size) => change({ size: Number(size) })}/>
    ${can.zoom && can.zoom.max > can.zoom.min && html`<label>${words.camera_zoom}<input id="zoom" type="range" min=${can.zoom.min} max=${can.zoom.max} step=${can.zoom.step || "any"} value=${near} onInput=${({ target }) => { wishes({ zoom: Number(target.value) }); apply({ zoom: wish.zoom }); }}/></label>`}
    <button id="turn" onClick=${() => { wishes({ turn: (wish.turn + 1) % 4 }); draw(); }}>↺ ${words.camera_turn}</button>
  </div></details>`;
}

async function light() {
  wishes({ lamp: !wish.lamp });
  await apply({ torch: wish.lamp });
  draw();
}

const shape = () => (video()?.videoWidth ? video().videoWidth / video().videoHeight : 16 / 9);

function Camera() {
  const [tone, said] = told();
  return html`<video id="picture" muted playsinline autoplay></video>
    <div id="frame" aria-hidden="true" style=${{ "--shape": shape() }}></div>
    <div id="level" aria-hidden="true" hidden=${!flat}><b></b></div>
    ${(!running || why === "taken") && html`<div id="panel">
      <h1>${words.camera_title}</h1><p>${words.camera_why}</p>
      <button id="start" disabled=${over} onClick=${() => askLevel().then(start)}>${words.camera_start}</button>
    </div>`}
    ${running && html`<div id="running">
      <p id="rate" class=${tone} role=${tone ? "status" : "none"}>${said}</p>
      <div id="buttons"><${Settings}/>
        ${level === "ask" && html`<button id="ask-level" onClick=${askLevel}>${words.camera_level}</button>`}
        ${can.torch && html`<button id="torch" aria-label=${words.camera_lamp} aria-pressed=${String(Boolean(wish.lamp))} onClick=${light}>☀</button>`}
        <button id="stop" onClick=${() => { wishes({ on: false }); stop(); }}>${words.camera_stop}</button>
      </div>
    </div>`}`;
}

// While this page knocks, its letters stand there.
const draw = () => at("door") ?? render(html`<${Camera}/>`, at("page"));

draw();
if (counts) video().requestVideoFrameCallback(count);
else setInterval(() => document.visibilityState === "visible" && count(now()), 1000 / 25);
setInterval(mind, LOOK);
document.addEventListener("visibilitychange", () => {
  mind();
  if (running && document.visibilityState === "visible") stayAwake();
});

follow({
  taken(moments) {
    [free, heard, seen, late] = [true, now(), going, moments];
    pass();
  },
  ready() {
    over = false;
    [free, heard] = [true, now()];
    begun();
    if (wish.on && !running) askLevel().then(start); // as before it was reloaded
    else if (running) {
      tellWhy();
      trouble(why === "taken" ? words.camera_blind : "");
    }
    tellBattery();
    pass();
    draw();
  },
  ended(forGood) {
    [free, over] = [false, forGood];
    if (over && running) stop(); // the camera went to another phone
    draw();
  },
});
