/** Prints `N passed, N failed` from the test runner's own report, as its last line. */
import { countTests } from './count-tests.mjs';

const { passed, failed } = countTests(new URL('../reports/tests.json', import.meta.url));
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
