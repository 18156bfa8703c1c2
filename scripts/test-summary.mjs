/** Prints `N passed, N failed` from the test runner's own reports, as its last line. */
import { countTests } from './count-tests.mjs';

const reports = ['tests', 'other-tests'].map((name) =>
  countTests(new URL(`../reports/${name}.json`, import.meta.url)),
);
const passed = reports.reduce((sum, report) => sum + report.passed, 0);
const failed = reports.reduce((sum, report) => sum + report.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
