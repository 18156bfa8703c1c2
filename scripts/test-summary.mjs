/** Prints what failed, and `N passed, N failed` as the last line, from the test runner's own reports. */
import { countTests } from './count-tests.mjs';

const reports = ['tests', 'other-tests'].map((name) =>
  countTests(new URL(`../reports/${name}.json`, import.meta.url)),
);
for (const failure of reports.flatMap(({ failures }) => failures)) console.log(`${failure}\n`);
const passed = reports.reduce((sum, report) => sum + report.passed, 0);
const failed = reports.reduce((sum, report) => sum + report.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
