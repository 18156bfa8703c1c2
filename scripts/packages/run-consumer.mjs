/** Runs the compiled application in both formats, and checks its output. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './libraries.mjs';

export function checkRun(directory, format) {
  const { stack, ...results } = runProgram(directory, `${format}/app.js`);
  assert.deepEqual(results, {
    ship: '7: order:7 true',
    busy: 423,
    health: 200,
    metrics: true,
    tested: 'LOCK_TIMEOUT',
    children: ['config', 'quota'],
    opCode: 1,
  });
  checkStack(stack);
}

/** Checks that both formats in one process share one library. */
export function checkMixed(directory) {
  assert.deepEqual(runProgram(directory, 'esm/mixed.mjs'), { same: true });
}

/** @param program the compiled `bare.ts`, or a bundle of it, with what Node is to do about it */
export function checkRunBare(directory, program, connectString, node = process.execPath) {
  const args = [program, connectString].flat();
  const results = JSON.parse(runNode(directory, args, node));
  assert.deepEqual(results, { ship: 'order:9 true', withLock: 'write' });
}

const runProgram = (directory, program) =>
  JSON.parse(runNode(directory, ['--enable-source-maps', program]));

const runNode = (cwd, args, node = process.execPath) =>
  run(node, args, { cwd, shell: false, timeout: 60_000 });

/** Checks that the innermost frame names the line of the installed code that throws the error. */
function checkStack(stack) {
  const [, frame] = stack.split('\n');
  const [, file, line] = /\(?([^ (]+\.cjs):(\d+):\d+\)?$/.exec(frame) ?? [];
  assert.ok(file, `The stack trace names no file of the library:\n${stack}`);
  assert.match(file, /node_modules\/zk-locks\/dist\//);
  const text = readFileSync(file, 'utf8').split('\n')[Number(line) - 1];
  assert.match(text, /throw new .*NoCurrentLockError/);
}
