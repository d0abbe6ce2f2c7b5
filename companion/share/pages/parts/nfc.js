// The phone as a pad: Web NFC, which Chrome on Android has. A sticker's id goes to the table, and is shown and kept nowhere here.
import { Component, html, words } from "./draw.js";
import { ask } from "./session.js";

export const canRead = () => "NDEFReader" in window;

// A button that begins the reading: browsers ask the person before they do. `where` says for what a card is held to the phone.
export class Reader extends Component {
  state = { said: canRead() ? "" : words.pad_failed, reading: false };

  async tell(tag) {
    const { words: said } = await ask({ type: "tap", tag, where: this.props.where() });
    this.setState({ said });
  }

  begin = async () => {
    const failed = () => this.setState({ said: words.pad_failed });
    try {
      const reader = new NDEFReader();
      await reader.scan();
      reader.onreading = ({ serialNumber }) => this.tell(serialNumber).then(() => navigator.vibrate?.(80), failed);
      reader.onreadingerror = failed;
      this.setState({ reading: true });
      await this.tell("");
    } catch {
      failed();
    }
  };

  render(_, { said, reading }) {
    return html`<button id="pad-start" hidden=${reading} disabled=${!canRead()} onClick=${this.begin}>${words.pad_start}</button>
      <p id="pad-said" role="status">${said}</p>`;
  }
}
