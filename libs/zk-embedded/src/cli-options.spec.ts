import { describe, expect, it } from 'vitest';
import { parseOptions, USAGE, UsageError } from './cli-options.js';
import { resolveOptions } from './options.js';

describe('parseOptions', () => {
  it.each([
    { args: [], options: { port: 2181 } },
    { args: ['--port', '0'], options: { port: 0 } },
    { args: ['--port=7', '--host', '::1'], options: { port: 7, host: '::1' } },
    {
      args: ['--tick-time-ms', '5', '--max-client-connections', '0'],
      options: { port: 2181, tickTimeMs: 5, maxClientConnections: 0 },
    },
    { args: ['--help', '--port', '1'], options: 'help' },
  ])('reads $args', ({ args, options }) => {
    expect(parseOptions(args)).toEqual(options);
  });

  it.each([
    { args: ['--port'], says: '--port' },
    { args: ['--port', ''], says: '--port is ""' },
    { args: ['--port', '1e3'], says: '--port is "1e3": give a whole number' },
    { args: ['--tick-time-ms=-1'], says: '--tick-time-ms is "-1"' },
    { args: ['--verbose'], says: '--verbose' },
    { args: ['start'], says: 'start' },
  ])('refuses $args', ({ args, says }) => {
    const parse = () => parseOptions(args);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(says);
  });

  it('has a flag, and a line of help, for every option there is', () => {
    for (const name of Object.keys(resolveOptions({}))) {
      const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      const value = name === 'host' ? '::1' : '77';
      const expected = name === 'host' ? '::1' : 77;
      expect(parseOptions([flag, value])).toMatchObject({ [name]: expected });
      expect(USAGE).toMatch(new RegExp(`^  ${flag} <\\w+>  +\\S`, 'm'));
    }
  });
});
