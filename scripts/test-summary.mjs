/** Prints `N passed, N failed` from the test runner's own report, as its last line. */
import { readFileSync } from 'node:fs';

const report = new URL('../reports/tests.json', import.meta.url);

try {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  // A file that could not even be loaded has no tests of its own to fail.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  console.log(`${numPassedTests} passed, ${numFailedTests + brokenFiles.length} failed`);
} catch {
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
