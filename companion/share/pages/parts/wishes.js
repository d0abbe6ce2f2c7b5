// What the owner of this phone wishes: language, colours, and how it tells that it is their turn.
import { Component, html, keep, kept, theme, words } from "./draw.js";
import { leave } from "./session.js";

let sound = null; // browsers let a page sound only after a touch
let waited = true; // a page that is opened in the middle of my turn says nothing

// Tell whoever holds the phone when their turn begins: it shakes, and sounds if they wish so.
export function signal(awaited) {
  if (awaited && !waited) {
    navigator.vibrate?.(150);
    if (sound && kept("sound") === "on") ring();
  }
  waited = awaited;
}

function ring() {
  for (const [at, pitch] of [[0, 660], [0.14, 880]]) {
    const [tone, gain] = [sound.createOscillator(), sound.createGain()];
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0.12, sound.currentTime + at);
    gain.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + at + 0.25);
    tone.connect(gain).connect(sound.destination);
    tone.start(sound.currentTime + at);
    tone.stop(sound.currentTime + at + 0.25);
  }
}

// The screen stays on as long as the page is looked at; a lock ends whenever it is not.
const stayAwake = () => document.visibilityState === "visible" && navigator.wakeLock?.request("screen").catch(() => {});

document.addEventListener("visibilitychange", stayAwake);
document.addEventListener("pointerdown", () => {
  stayAwake();
  sound ??= "AudioContext" in window ? new AudioContext() : null;
}, { once: true });

export class Wishes extends Component {
  render() {
    const Choice = ({ name, label, value, of, then }) => html`<label>${label}
      <select name=${name} onChange=${({ target }) => {
        keep(name, target.value);
        then(target.value);
      }}>${of.map(([one, said]) => html`<option key=${one} value=${one} selected=${one === value}>${said}</option>`)}</select>
    </label>`;
    return html`<details id="wishes"><summary>${words.wishes}</summary><div class="talk">
      <${Choice} name="language" label=${words.language} value=${kept("language") || document.documentElement.lang} of=${Object.entries(words.languages)} then=${() => location.reload()}/>
      <${Choice} name="theme" label=${words.theme} value=${kept("theme")} of=${[["", words.theme_device], ["light", words.theme_light], ["dark", words.theme_dark]]} then=${() => theme()}/>
      <${Choice} name="sound" label=${words.sound} value=${kept("sound")} of=${[["", words.sound_off], ["on", words.sound_on]]} then=${(on) => on && sound && ring()}/>
      <button onClick=${leave}>${words.leave}</button>
    </div></details>`;
  }
}
