/**
 * A program that loads this hangs once it has written that it holds a lock, like one in a long garbage
 * collection: it makes the file STALLED, and goes on when there is GO_ON.
 */
const { existsSync, writeFileSync } = require('node:fs');

function hang() {
  writeFileSync(process.env.STALLED, '');
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(process.env.GO_ON)) Atomics.wait(nothing, 0, 0, 20);
}

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  if (String(text).startsWith('holding ')) setImmediate(hang);
  return write(text, ...rest);
};
