/**
 * Loaded by `NODE_OPTIONS`: a guard is killed at the moment when it has started its command, before it can
 * say so, as by the kernel where memory is short.
 */
const childProcess = require('node:child_process');
const { basename } = require('node:path');

const { spawn } = childProcess;
if (basename(process.argv[1] ?? '') === 'guard.cjs') {
  childProcess.spawn = (...args) => {
    spawn(...args);
    process.kill(process.pid, 'SIGKILL');
  };
}
