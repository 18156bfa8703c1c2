/**
 * Loaded by `NODE_OPTIONS`: Ctrl-C in the foreground comes while the guard is starting (BEFORE=guard), or
 * when it handles signals and has not started its command (BEFORE=command).
 */
const childProcess = require('node:child_process');
const { existsSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');

const { BEFORE, HANDLED } = process.env;
const isGuard = basename(process.argv[1] ?? '') === 'guard.cjs';
if (isGuard && BEFORE === 'guard') process.kill(process.pid, 'SIGINT');
if (!isGuard) process.on('SIGINT', () => setImmediate(() => writeFileSync(HANDLED, '')));

const { spawn } = childProcess;
if (isGuard) {
  childProcess.spawn = (...args) => {
    childProcess.spawn = spawn;
    process.kill(process.ppid, 'SIGINT');
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(HANDLED)) Atomics.wait(nothing, 0, 0, 20);
    return spawn(...args);
  };
}
