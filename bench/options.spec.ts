import { describe, expect, it } from 'vitest';
import { CONTENDERS } from './contenders/contenders.js';
import { parseCommandLine } from './options.js';
import { WORKLOADS } from './workloads/workloads.js';

const names = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name);

describe('options', () => {
  it('are the whole run, in full length, without arguments', () => {
    const options = parseCommandLine([]);
    expect(options.isWhole).toBe(true);
    expect(names(options.workloads)).toEqual(names(WORKLOADS));
    expect(names(options.contenders)).toEqual(names(CONTENDERS));
  });

  it.each([
    ['--quick'],
    ['--goals'],
    ['--workload', 'one key'],
    ['--contender', 'curator'],
    ['--seconds', '1'],
    ['--rounds', '2'],
    ['--against', '.'],
  ])('make no whole run with %s', (...args) => {
    expect(parseCommandLine(args).isWhole).toBe(false);
  });

  it('pick by any part of a name, in any case, in the order of the lists', () => {
    const { workloads, contenders } = parseCommandLine([
      ...['--workload', 'READ', '--workload', 'one key, 64 tasks'],
      ...['--contender', 'kazoo', '--contender', 'ours'],
    ]);
    expect(names(workloads)).toEqual(['one key, 64 tasks', 'one key, 64 tasks, 95% read']);
    expect(names(contenders)).toEqual([
      ...[
        'ours-wire',
        'ours-locked',
        'ours-withLock',
        'ours',
        'ours-kept',
        'ours-cohort-wire',
        'ours-cohort',
      ],
      'kazoo',
    ]);
  });

  it('pick the workloads and contenders of the goals', () => {
    const { workloads, contenders } = parseCommandLine(['--goals']);
    expect(names(workloads)).toContain('10,000 waiters');
    expect(names(workloads)).toContain('own keys, 64 tasks, and a visitor');
    expect(names(workloads)).not.toContain('10 waiters');
    expect(names(contenders)).toEqual([
      ...['ours-wire', 'ours-kept', 'curator', 'redlock-memory', 'raw-socket', 'raw-batch'],
    ]);
  });

  it('add what another checkout has built', () => {
    const { contenders } = parseCommandLine(['--goals', '--against', '.']);
    expect(names(contenders).at(-1)).toBe('before');
    expect(contenders.at(-1)?.skills).toEqual(
      contenders[0]?.skills.filter((one) => one !== 'decorators'),
    );
  });

  it('take a time and a number of rounds, also for a quick run', () => {
    const options = parseCommandLine(['--quick', '--seconds', '0.5', '--rounds', '1']);
    expect(options).toMatchObject({ seconds: 0.5, rounds: 1 });
    expect(parseCommandLine(['--quick']).seconds).toBeLessThan(parseCommandLine([]).seconds);
  });

  it.each([
    [['--seconds', 'soon'], '--seconds: "soon" is no number from 0.05 to 600'],
    [['--seconds', ''], '--seconds: "" is no number'],
    [['--seconds', '0'], '--seconds: "0" is no number'],
    [['--rounds', '1.5'], '--rounds: "1.5" is no whole number'],
    [['--workload', 'semaphores'], '--workload: no workload has "semaphores" in its name'],
    [['--contender', 'ours', '--contender', 'zk'], '--contender: no contender has "zk"'],
    [['--against', 'bench'], 'bench has no node_modules; run `npm ci && npm run build` there'],
    [['--fast'], "Unknown option '--fast'"],
    [['quick'], "Unexpected argument 'quick'"],
    [['--workload', 'decorator', '--contender', 'kazoo'], 'none of these contenders can do any'],
  ])('refuse %j and say why', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(message);
  });
});

describe('names', () => {
  it.each([
    ['workloads', WORKLOADS],
    ['contenders', CONTENDERS],
  ])('of %s are their own', (_, all) => {
    expect(new Set(names(all)).size).toBe(all.length);
  });

  it('of contenders are single words, because they are part of paths', () => {
    for (const name of names(CONTENDERS)) expect(name).toMatch(/^[\w-]+$/);
  });
});
