// The simulator (../main.cpp) with the tray's firmware in rp2040js: an RP2040, the boot ROM's part of a start, the flash chip, the
// crystal's 48 MHz, and a computer on the USB cable.
//
//     node tray.cjs BOARDS.txt pico READER.uf2 [--seed N] ...     as ../main.cpp
//
// rp2040js knows no volt, no wait for the flash, and no time of USB: logic is true here, cycles about true, and no more.
const fs = require('fs');
const path = require('path');
const { RP2040, GPIOPinState, ConsoleLogger, LogLevel } = require('rp2040js');
const { UsbHost } = require('./usb_host.cjs');
const machine = require(path.join(__dirname, '../../build/pico/tray.node'));

const CYCLE = 1e9 / 48e6; // nanoseconds
const FLASH = 0x10000000;
const BOOT_AT = 0x20041f00; // where the boot ROM runs a boot stage
const XIP = { 0x00: 0x1f0300, 0xf4: 0x03000218, 0x08: 1 }; // the flash interface as the boot stage sets it up: command 03h, 24 bits

let mcu, clock, host, flash, pins, bitten;
let before = 0; // nanoseconds of the chips that were reset
let random = 1;
const held = new Set(); // keys
const now = () => before + clock.nanos;
const dice = () => (random = (Math.imul(random, 1664525) + 1013904223) >>> 0) >>> 8;

// A UF2 file as the boot ROM takes it.
function flash_of(file) {
  const bytes = fs.readFileSync(file);
  const image = Buffer.alloc(2 << 20, 0xff);
  for (let at = 0; at < bytes.length; at += 512) {
    image.set(bytes.subarray(at + 32, at + 32 + bytes.readUInt32LE(at + 16)), bytes.readUInt32LE(at + 12) - FLASH);
  }
  return image;
}

// The flash chip: it is memory only after the boot stage has asked for that, and tells its number (command 4Bh).
class FlashChip {
  constructor(id) {
    this.id = id;
    this.registers = {};
    this.shifted = [];
  }
  readUint32(offset) {
    if (offset === 0x28) return 0x0e;
    if (offset !== 0x60) return this.registers[offset] ?? 0;
    const place = this.shifted.length - 6;
    return this.selected && this.shifted[0] === 0x4b && place >= 0 ? this.id[place] : 0xff;
  }
  writeUint32(offset, value) {
    this.registers[offset] = value;
    if (offset === 0x60) this.shifted.push(value);
    const memory = Object.entries(XIP).every(([at, set]) => this.registers[at] === set);
    if (memory !== this.memory) {
      this.memory = memory;
      if (memory) mcu.flash.set(flash);
      else mcu.flash.fill(0xff, 0, flash.length);
    }
  }
  writeUint32Atomic(offset, value) {
    this.writeUint32(offset, value);
  }
  select(low) {
    this.selected = low;
    this.shifted = [];
  }
}

function start(cause) {
  if (mcu) before += clock.nanos;
  const scratch = mcu?.peripherals[0x40058].scratchData;
  mcu = new RP2040();
  clock = mcu.clock;
  bitten = false;
  mcu.logger = new ConsoleLogger(LogLevel.Error, false);
  for (let i = 0; i < mcu.sram.length; i++) mcu.sram[i] = dice();
  const chip = new FlashChip(pins.id);
  mcu.peripherals[0x18000] = chip;
  mcu.peripherals[0x40018] = { readUint32: () => 0, writeUint32Atomic: (at, value) => at === 0x0c && chip.select(value === 2 << 8) };
  mcu.peripherals[0x40060] = { readUint32: (at) => (at === 0x1c ? dice() & 1 : 0), writeUint32Atomic() {} };
  const causes = { flashed: 1 << 8, power: 1 << 8, key: 1 << 16, watchdog: 1 << 8 };
  mcu.peripherals[0x40064] = { readUint32: (at) => (at === 8 ? causes[cause] : 0), writeUint32Atomic() {} };
  const watchdog = mcu.peripherals[0x40058];
  watchdog.reason = cause === 'watchdog' || cause === 'flashed' ? 1 : 0;
  if (cause === 'watchdog') watchdog.scratchData = scratch;
  watchdog.onWatchdogTrigger = () => {
    bitten = true;
    watchdog.alarm.enable = false;
  };
  const spi = mcu.spi[0];
  spi.onTransmit = (mosi) => {
    // The SPI takes half a clock of rest before a byte, and one after it.
    const hertz = spi.clockFrequency;
    clock.createAlarm(() => spi.completeTransmit(machine.spi(now(), mosi, hertz))).schedule(9.5e9 / hertz);
  };
  const low = (state) => (state === GPIOPinState.Low ? 1 : 0);
  mcu.gpio[pins.select].addListener((state) => machine.select(now(), low(state)));
  mcu.gpio[pins.reset].addListener((state) => machine.reset(now(), low(state)));
  mcu.gpio[pins.lights].addListener((state) => machine.light(now(), 1 - low(state)));
  for (const pin of pins.keys) mcu.gpio[pin].setInputValue(!held.has(pin));
  host = new UsbHost(
    mcu,
    (said) => fs.writeSync(1, `${JSON.stringify({ usb: said })}\n`),
    (byte) => machine.byte(now(), byte),
  );
  mcu.sram.set(flash.subarray(0, 256), BOOT_AT - 0x20000000);
  mcu.core.SP = BOOT_AT;
  mcu.core.PC = BOOT_AT;
}

const orders = {
  load(file, seed, select, reset, lights, accept, refuse) {
    flash = flash_of(file);
    random = seed >>> 0;
    const id = [0xe6, 0x61, 0x40, 0xc3, seed >>> 24, (seed >>> 16) & 255, (seed >>> 8) & 255, seed & 255];
    pins = { select, reset, lights, keys: [accept, refuse], id };
    start('flashed'); // by the boot ROM, which then bites with the watchdog
  },
  run(until) {
    while (now() < until) {
      const { core } = mcu;
      if (core.waiting) {
        const rest = until - now() + 1;
        clock.tick(clock.nextAlarm ? Math.min(Math.max(clock.nanosToNextAlarm, 0), rest) : rest);
        if (core.checkForInterrupts()) core.waiting = false;
      } else clock.tick(core.executeInstruction() * CYCLE);
      if (bitten) start('watchdog');
    }
    const sounding = mcu.pwm.channels.find((channel) => channel.csr & 1);
    machine.tone(now(), sounding ? Math.round(1e6 / (sounding.top + 1)) : 0);
    machine.time(now());
  },
  reset: (power) => start(power ? 'power' : 'key'),
  press(refuse, down) {
    const pin = pins.keys[refuse];
    if (down) held.add(pin);
    else held.delete(pin);
    mcu.gpio[pin].setInputValue(!down);
  },
  receive: (byte) => host.receive(byte),
  hang(deaf) {
    mcu.writeUint16(0x20030000, 0xe7fe); // a branch to itself
    mcu.core.PC = 0x20030000;
    mcu.core.PM = !!deaf;
    mcu.core.waiting = false;
  },
};
process.exit(machine.simulate(['simulate', ...process.argv.slice(2)], orders));
