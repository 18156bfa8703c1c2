/**
 * Fails the tests on each warning of Node. Each test file loads it, and so do the programs that
 * tests start (`FAIL_ON_WARNING`), which end on a warning.
 */

/** Warnings that this repository cannot fix. */
const EXPECTED = [
  // `queryObjects`, with which endurance runs count objects, is experimental on Node 20.
  { name: 'ExperimentalWarning', message: /queryObjects/ },
  // npm packages in CommonJS load ones in ESM, such as Nest 12: older versions of Node 20 and 22 warn.
  { name: 'ExperimentalWarning', message: /require\(\)|CommonJS module/ },
  // Deprecated APIs that npm packages still use, such as `punycode` and `url.parse()`.
  { name: 'DeprecationWarning', isThirdParty: true },
];

/** Whether the first file on the stack that is not Node's own belongs to a package. */
function isOfPackage({ stack = '' }) {
  const files = stack.split('\n').filter((line) => /\bat\b/.test(line) && !line.includes('node:'));
  return files.length > 0 && files[0].includes('/node_modules/');
}

function onWarning(warning) {
  const isExpected = EXPECTED.some(
    ({ name, message = /^/, isThirdParty = false }) =>
      warning.name === name &&
      message.test(warning.message) &&
      (!isThirdParty || isOfPackage(warning)),
  );
  // Uncaught: Vitest reports it and fails the run; a program ends with its stack.
  if (!isExpected) throw warning;
}

// Several test files may run in one process.
const IS_LISTENING = Symbol.for('fail-on-warning');
if (!process[IS_LISTENING]) process.on('warning', onWarning);
process[IS_LISTENING] = true;
