// The computer at the other end of the tray's USB cable, as far as rp2040js goes: it resets the bus twice, asks all that Linux asks,
// configures the device and opens its port. `told` hears what the device said of itself, once; `heard` each byte.
const MS = 1e6; // of the clock's nanoseconds
const STALLED = 0x800;
const LINE_J = 1 << 2; // of SIE_STATUS: the bus is idle, no reset
const MUXING = 0x74;

const read = (kind, which, size, language = 0) => [0x80, 6, which, kind, language & 255, language >> 8, size & 255, size >> 8];

// Yields requests (and what is sent with one) or 'reset'; is given each answer, 'stall' for a refusal.
function* enumeration() {
  const said = {};
  yield 'reset';
  said.first = (yield read(1, 0, 64)).length;
  yield 'reset';
  yield [0, 5, 9, 0, 0, 0, 0, 0];
  const device = yield read(1, 0, 18);
  const id = (at) => (device[at] | (device[at + 1] << 8)).toString(16).padStart(4, '0');
  said.usb = `${id(8)}:${id(10)}`;
  said.other_speed = yield read(6, 0, 10);
  const head = yield read(2, 0, 9);
  const size = head[2] | (head[3] << 8);
  const configuration = yield read(2, 0, size);
  said.milliamperes = 2 * configuration[8];
  said.function = [...device.slice(4, 7), ...configuration.slice(13, 16)];
  said.whole = (yield read(2, 0, 255)).length === size;
  said.languages = (yield read(3, 0, 255)).length;
  const text = (bytes) => Buffer.from(bytes.slice(2)).toString('utf16le');
  said.maker = text(yield read(3, device[14], 255, 0x409));
  said.product = text(yield read(3, device[15], 255, 0x409));
  said.serial = text(yield read(3, device[16], 255, 0x409));
  said.no_text = yield read(3, 9, 255, 0x409);
  yield [0, 9, 1, 0, 0, 0, 0, 0];
  said.status = yield [0x80, 0, 0, 0, 0, 0, 2, 0];
  yield { setup: [0x21, 0x20, 0, 0, 0, 0, 7, 0], data: [0x20, 0xa1, 7, 0, 0, 0, 8] };
  said.coding = yield [0xa1, 0x21, 0, 0, 0, 0, 7, 0];
  yield [0x21, 0x22, 3, 0, 0, 0, 0, 0];
  said.cleared = [yield [2, 1, 0, 0, 0x82, 0, 0, 0], yield [2, 1, 0, 0, 2, 0, 0, 0]];
  return said;
}

class UsbHost {
  constructor(mcu, told, heard) {
    this.usb = mcu.usbCtrl;
    this.memory = mcu.usbDPRAMView;
    this.clock = mcu.clock;
    this.steps = enumeration();
    this.waiting = [];
    this.armed = 0; // bytes for which the device's port listens
    this.open = false;
    this.muxing = [];
    this.told = told;
    const write = this.usb.writeUint32.bind(this.usb);
    this.usb.writeUint32 = (offset, value) => {
      if (offset === MUXING) this.muxing.push(value);
      write(offset, value);
    };
    this.usb.onUSBEnabled = () => this.later(1, () => this.step());
    this.usb.onEndpointWrite = (endpoint, bytes) => (endpoint === 0 ? this.answered(bytes) : bytes.forEach(heard));
    this.usb.onEndpointRead = (endpoint, size) => {
      if (endpoint === 0) this.control_armed = true;
      else this.armed = size;
      this.send();
    };
  }

  later(ms, what) {
    this.clock.createAlarm(what).schedule(ms * MS);
  }

  step(answer) {
    this.request = null;
    const { value, done } = this.steps.next(answer);
    if (done) {
      this.open = true;
      this.told({ ...value, muxing: this.muxing });
      this.send();
    } else if (value === 'reset') {
      this.usb.sieStatus &= ~LINE_J;
      this.usb.resetDevice();
      this.later(12, () => (this.usb.sieStatus |= LINE_J)); // a reset is 10 ms at least, and 10 ms are for the device to recover
      this.later(22, () => this.step());
    } else {
      const setup = value.setup ?? value;
      this.request = { setup, data: value.data, bytes: [], wanted: setup[0] & 0x80 ? setup[6] | (setup[7] << 8) : 0 };
      this.control_armed = false;
      this.memory.setUint32(0x80, 0, true);
      this.memory.setUint32(0x84, 0, true);
      this.usb.sendSetupPacket(Uint8Array.from(setup));
      const { request } = this;
      this.later(0.3, () => this.request === request && this.look());
    }
  }

  // A refusal is only seen in the device's memory; the stage of data is taken when the device listens.
  look() {
    const { request } = this;
    if (this.memory.getUint32(0x80, true) & STALLED) this.step('stall');
    else if (request.data && this.control_armed) {
      const { data } = request;
      request.data = null;
      this.control_armed = false;
      this.usb.endpointReadDone(0, Uint8Array.from(data));
    }
  }

  answered(bytes) {
    const { request } = this;
    if (request === null) throw new Error('an answer that nobody asked for');
    if (!(request.setup[0] & 0x80)) {
      this.later(0.2, () => this.step('done'));
      return;
    }
    request.bytes.push(...bytes);
    if (bytes.length === 64 && request.bytes.length < request.wanted) return;
    this.later(0.2, () => {
      if (!this.control_armed) throw new Error('the device does not wait for the end of its answer');
      this.usb.endpointReadDone(0, new Uint8Array(0));
      this.later(0.2, () => this.step(request.bytes));
    });
  }

  receive(byte) {
    this.waiting.push(byte);
    this.send();
  }

  send() {
    if (!this.open || !this.armed || !this.waiting.length) return;
    const bytes = this.waiting.splice(0, this.armed);
    this.armed = 0;
    this.usb.endpointReadDone(2, Uint8Array.from(bytes));
  }
}

module.exports = { UsbHost };
