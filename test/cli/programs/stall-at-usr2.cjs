/**
 * A program that loads this hangs at SIGUSR2, like one in a long garbage collection: it makes the file
 * STALLED, and goes on when there is GO_ON.
 */
const { existsSync, writeFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  writeFileSync(process.env.STALLED, '');
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(process.env.GO_ON)) Atomics.wait(nothing, 0, 0, 20);
});
