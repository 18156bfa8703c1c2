import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.js';
import { WireClient } from '../support/wire-client.js';
import { openWire } from './support.js';

const cli = fileURLToPath(new URL('../../libs/zk-embedded/bin/zk-embedded.js', import.meta.url));

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return line;
}

async function run(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const child = start(...args);
  const ended = once(child, 'close') as Promise<[number]>;
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    ended,
  ]);
  return { code, output, errors };
}

describe('the command', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('says where it serves, until %s', async (signal) => {
    const port = await freePort();
    const child = start('--port', String(port), '--tick-time-ms', '100');
    expect(await firstLine(child)).toBe(`zk-embedded: serving at 127.0.0.1:${port}`);
    const { client } = await openWire({ port }, { timeOut: 1 });
    expect(client.greeting?.timeOut).toBe(200);
    child.kill(signal);
    const [code, by] = (await once(child, 'exit')) as [number | null, string | null];
    expect({ code, by }).toEqual({ code: 0, by: null });
    await client.ended;
    await expect(WireClient.open(port)).rejects.toThrow('ECONNREFUSED');
  });

  it('prints its usage', async () => {
    const { code, output, errors } = await run('--help');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toContain('Usage: zk-embedded [options]');
    expect(output).toContain('--max-buffer-bytes <n>');
  });

  it('refuses what it does not know, and says why', async () => {
    const { code, output, errors } = await run('--host', 'nowhere.invalid');
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(
      /^zk-embedded: --host must be an IP address of this machine; got "nowhere.invalid"/,
    );
    expect(errors).not.toContain('    at ');
    const { errors: ofPort } = await run('--port', '70000');
    expect(ofPort).toBe('zk-embedded: --port must be a whole number from 0 to 65535; got 70000.\n');
    const { errors: ofTimeout } = await run('--min-session-timeout-ms', '0');
    expect(ofTimeout).toContain(
      'zk-embedded: --min-session-timeout-ms must be a whole number from 1 ',
    );
  });

  it('prints an IPv6 address as connect strings have it', async () => {
    const child = start('--host', '::1', '--port', '0');
    expect(await firstLine(child)).toMatch(/^zk-embedded: serving at \[::1\]:\d+$/);
  });

  it('says that a port is taken, and what to do', async () => {
    const first = start('--port', '0');
    const port = (await firstLine(first)).split(':').at(-1)!;
    const { code, errors } = await run('--port', port);
    expect(code).toBe(1);
    expect(errors).toMatch(/^zk-embedded: .*EADDRINUSE.*--port 0\.\n$/);
  });
});
