import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ConnectProblems } from './connect-problems.js';

function open() {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger = {
    debug: note('debug'),
    log: note('log'),
    warn: note('warn'),
    error: note('error'),
  };
  const levels = (): string[] => lines.map((line) => line.slice(0, line.indexOf(':')));
  return { problems: new ConnectProblems(logger, 'zk1:2181'), lines, levels };
}

it('says nothing aloud of one attempt that fails, and why from the second one on', () => {
  const { problems, lines } = open();
  problems.failed(new Error('refused'));
  problems.failed(new Error('refused'));
  const message = 'Cannot connect to ZooKeeper at zk1:2181, and tries again: Error: refused';
  expect(lines).toEqual([`debug: ${message}`, `warn: ${message}`]);
});

it('says what the system said, where the client knows, and each of it once', () => {
  const { problems, lines } = open();
  const causes = ['connect ECONNREFUSED 10.0.0.1:2181', 'self-signed certificate'];
  for (const cause of [...causes, ...causes, ...causes]) {
    problems.failed(new Error('connection lost', { cause: new Error(cause) }));
  }
  const line = (cause: string): string =>
    `warn: Cannot connect to ZooKeeper at zk1:2181, and tries again (${cause}): Error: connection lost`;
  const warnings = lines.filter((text) => text.startsWith('warn'));
  expect(warnings.toSorted()).toEqual(causes.map(line));
});

it('says what the system said in an error of another realm, too, as that of Node under Jest', () => {
  const { problems, lines } = open();
  const error: unknown = runInNewContext(
    "new Error('connection lost', { cause: new Error('connect ECONNREFUSED') })",
  );
  problems.failed(error);
  expect(lines).toEqual([expect.stringContaining('tries again (connect ECONNREFUSED): ')]);
});

it('says each problem once, until there is a connection again', () => {
  const { problems, levels } = open();
  for (const problem of ['a', 'a', 'a', 'b', 'a', 'b']) problems.failed(problem);
  expect(levels()).toEqual(['debug', 'warn', 'debug', 'warn', 'debug', 'debug']);
  problems.connected();
  problems.failed('a');
  problems.failed('a');
  expect(levels().slice(-2)).toEqual(['debug', 'warn']);
});

it('does not fill the log, however many problems there are', () => {
  const { problems, levels } = open();
  for (let problem = 0; problem < 100; problem++) problems.failed(problem);
  expect(levels().filter((level) => level === 'warn')).toHaveLength(5);
});
