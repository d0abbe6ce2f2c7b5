// The phone as camera: JPEG pictures through a socket, the next one when the last has been taken, so that the newest always wins.
import { at, words } from "./draw.js";
import { follow, say, trouble } from "./session.js";

const WIDTH = 1280;
const HEIGHT = 720;
const QUALITY = 0.85;
const LARGEST = 1_900_000; // bytes; the table takes no more than 2,000,000 at once
const STILL = 3000; // ms without a new picture of the camera, after which it counts as stopped
const LOOK = 500; // ms between two looks whether it has
const AGAIN = 3000; // ms between two attempts to start it again

let media = null;
let blind = false; // whether the camera has stopped
let moved = 0; // when it gave a new picture last
let tried = 0; // when it was last tried to start it
let lamp = null;
let awake = null;
let running = false;
const canvas = document.createElement("canvas");

async function open() {
  for (const track of media?.getTracks() ?? []) track.stop();
  media = await navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { facingMode: { ideal: "environment" }, width: { ideal: WIDTH }, height: { ideal: HEIGHT }, frameRate: { ideal: 30 } },
  });
  at("picture").srcObject = media;
  await at("picture").play();
  moved = performance.now();
  const track = media.getVideoTracks()[0];
  const can = track.getCapabilities?.() ?? {};
  lamp = can.torch ? track : null;
  at("torch").hidden = !lamp;
  // A focus and an exposure that stay let the table be learnt; a browser that cannot goes on as it is.
  const still = [];
  if (can.focusMode?.includes("continuous")) still.push({ focusMode: "continuous" });
  if (can.exposureMode?.includes("continuous")) still.push({ exposureMode: "continuous" });
  if (still.length) await track.applyConstraints({ advanced: still }).catch(() => {});
  setTimeout(() => hold(track, can), 3000);
}

async function hold(track, can) {
  const held = [];
  if (can.focusMode?.includes("manual")) held.push({ focusMode: "manual" });
  if (can.exposureMode?.includes("manual")) held.push({ exposureMode: "manual" });
  if (can.whiteBalanceMode?.includes("manual")) held.push({ whiteBalanceMode: "manual" });
  if (held.length) await track.applyConstraints({ advanced: held }).catch(() => {});
}

async function stayAwake() {
  try {
    awake = await navigator.wakeLock?.request("screen");
  } catch {
    awake = null;
  }
}

// Another program, or a call, takes the camera: its track ends, is muted, or just gives no more pictures.
function stopped() {
  const [track] = media?.getVideoTracks() ?? [];
  if (!track || track.readyState === "ended" || track.muted) return true;
  // A page out of sight is shown no new pictures, though there may be some.
  return counts && document.visibilityState === "visible" && performance.now() - moved > STILL;
}

const counts = "requestVideoFrameCallback" in HTMLVideoElement.prototype;

function count() {
  moved = performance.now();
  at("picture").requestVideoFrameCallback(count);
}

const tellBlind = () => say({ type: "status", blind });

// Tell the phone's owner and the table when the camera stops; try to start it again for as long as it is allowed.
async function mind() {
  if (!running) return;
  if (stopped() !== blind) {
    blind = !blind;
    trouble(blind ? words.camera_blind : "");
    at("panel").hidden = !blind;
    tellBlind();
  }
  if (blind && performance.now() - tried > AGAIN && document.visibilityState === "visible") {
    tried = Infinity; // until this attempt has ended, which may take a person's answer
    const fault = await open().catch((one) => one);
    if (fault?.name !== "NotAllowedError") tried = performance.now();
  }
}

function picture() {
  const video = at("picture");
  const scale = Math.min(1, 1920 / video.videoWidth);
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
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

let ready = false; // whether the table takes a picture now
let sent = 0;
let since = performance.now();

let turn = 0; // of several loops the last one alone goes on

async function next(mine = turn) {
  if (!running || !ready || mine !== turn) return;
  const blob = !blind && at("picture").videoWidth ? await picture() : null;
  const body = blob && blob.size <= LARGEST ? await blob.arrayBuffer() : null;
  if (body && ready && say(body)) sent += 1;
  else setTimeout(() => next(mine), 100);
  if (performance.now() - since > 2000) {
    at("rate").textContent = `${canvas.width}×${canvas.height} · ${((1000 * sent) / (performance.now() - since)).toFixed(0)}/s`;
    [sent, since] = [0, performance.now()];
  }
}

function begin() {
  if (!running || !ready) return;
  if (blind) trouble(words.camera_blind);
  tellBlind();
  tellBattery();
  turn += 1;
  next();
}

function stop() {
  running = blind = false;
  for (const track of media?.getTracks() ?? []) track.stop();
  awake?.release();
  at("running").hidden = true;
  at("panel").hidden = false;
}

at("start").onclick = async () => {
  try {
    await open();
  } catch (fault) {
    trouble(`${fault.name}: ${fault.message}`);
    return;
  }
  if (running) return; // it had stopped: `mind` sees that it goes on
  running = true;
  at("panel").hidden = true;
  at("running").hidden = false;
  await stayAwake();
  begin();
};

setInterval(mind, LOOK);
if (counts) count();

at("stop").onclick = stop;

at("torch").onclick = async () => {
  const on = at("torch").getAttribute("aria-pressed") !== "true";
  await lamp?.applyConstraints({ advanced: [{ torch: on }] }).catch(() => {});
  at("torch").setAttribute("aria-pressed", String(on));
};

document.addEventListener("visibilitychange", () => {
  if (running && document.visibilityState === "visible") stayAwake();
});

// The level: how far the phone leans from lying flat, in degrees.
window.addEventListener("deviceorientation", ({ beta, gamma }) => {
  if (beta === null || gamma === null) return;
  const reach = (angle) => `${50 + Math.max(-45, Math.min(45, angle))}%`;
  const dot = at("level").firstElementChild;
  dot.style.left = reach(gamma);
  dot.style.top = reach(beta);
  at("level").classList.toggle("flat", Math.abs(beta) < 4 && Math.abs(gamma) < 4);
});

follow({
  taken: () => next(),
  ready() {
    ready = true;
    at("start").disabled = false;
    begin();
  },
  ended(over) {
    ready = false;
    if (over && running) stop(); // the camera went to another phone
    at("start").disabled = over;
  },
});
