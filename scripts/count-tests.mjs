import { readFileSync } from 'node:fs';

/** The counts of a test runner's report; one failure if there is no report. */
export function countTests(report) {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const failures = testResults.flatMap(failuresOf);
    return { passed: numPassedTests, failed: failures.length, failures };
  } catch (error) {
    return { passed: 0, failed: 1, failures: [`no report: ${error.message}`] };
  }
}

function failuresOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that could not even be loaded has no tests of its own to fail.
  if (failed.length === 0) return status === 'failed' ? [`${name}\n${message}`] : [];
  return failed.map(
    ({ fullName, failureMessages }) => `${name} > ${fullName}\n${failureMessages.join('\n')}`,
  );
}
