import { get as httpGet, request, type IncomingMessage } from 'node:http';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import { describe, expect, it } from 'vitest';
import { type BoardApp, startBoard } from '../board/support/board-app.js';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';

const apps = useTestApps();

const PATHS = ['', '/board.js', '/board.css', '/overview', '/keys', '/key?key=k', '/changes'];
const ACTIONS = ['revoke', 'break', 'set-permits', 'resign'];

/** Sends a request as a browser does to a name that resolves to this computer. */
async function ask({ url }: BoardApp, path: string, host: string, body?: object): Promise<Answer> {
  const { port, pathname } = new URL(`${url}/`);
  const address = { host: '127.0.0.1', port, path: `${pathname.slice(0, -1)}${path}` };
  const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = body
      ? request({ ...address, method: 'POST', headers: { ...json, host } }, resolve)
      : httpGet({ ...address, headers: { host } }, resolve);
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
  if (response.headers['content-type'] === 'text/event-stream') {
    response.destroy();
    return { status: response.statusCode ?? 0, text: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const STRANGE = [
  'evil.example',
  'evil.example:3000',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'localhost@evil.example',
  'evil.example#localhost',
  '10.0.0.7:3000',
  '[::2]',
  '0.0.0.0',
];

const OWN = ['localhost', 'LocalHost:3000', '127.0.0.1', '127.1.2.3:80', '[::1]', '[::1]:3000'];

describe.each(PLATFORMS)('a board without guards on %s', (_name, newAdapter) => {
  it('shows nothing and does nothing under the name of another site', async () => {
    const open = { guards: 'none', actionGuards: 'none', readOnly: false } as const;
    const board = await startBoard(apps, { adapter: newAdapter(), board: open });
    const held = await board.locks.acquire('k');
    for (const path of PATHS) {
      const { status, text } = await ask(board, path, 'evil.example');
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('does not respond to the name');
      expect(text).toContain('`hosts`');
    }
    for (const action of ACTIONS) {
      const body = { key: 'k', typedKey: 'k', token: String(held.fencingToken) };
      const { status } = await ask(board, `/actions/${action}`, 'evil.example', body);
      expect([action, status]).toEqual([action, 403]);
    }
    for (const host of STRANGE) {
      expect([host, (await ask(board, '/overview', host)).status]).toEqual([host, 403]);
    }
    expect(held.revoked.aborted).toBe(false);
    held.assertHeld();
    for (const host of OWN) {
      expect([host, (await ask(board, '/overview', host)).status]).toEqual([host, 200]);
    }
    for (const path of PATHS) expect((await ask(board, path, 'localhost')).status).toBe(200);
    await held.release();
  });

  it('answers to the names in its option `hosts`', async () => {
    const board = await startBoard(apps, {
      adapter: newAdapter(),
      board: { hosts: ['Locks.Example.com', 'ops.example:8080', '[fd00::1]'] },
    });
    const statusAt = async (host: string): Promise<number> =>
      (await ask(board, '/overview', host)).status;
    for (const host of ['locks.example.com', 'locks.example.com:3000', 'ops.example:8080']) {
      expect([host, await statusAt(host)]).toEqual([host, 200]);
    }
    expect(await statusAt('[fd00::1]:80')).toBe(200);
    expect(await statusAt('localhost:3000')).toBe(200);
    expect(await statusAt('ops.example')).toBe(403);
    expect(await statusAt('x.locks.example.com')).toBe(403);
  });
});

it('a board with guards answers to any name, unless `hosts` says which', async () => {
  const guards = [{ canActivate: () => true }];
  const any = await startBoard(apps, { board: { guards } });
  expect((await ask(any, '/overview', 'locks.example.com')).status).toBe(200);
  const named = await startBoard(apps, { board: { guards, hosts: [] } });
  expect((await ask(named, '/overview', 'locks.example.com')).status).toBe(403);
});

it.each([['evil.example'], [['https://a.example']], [['a.example/locks']], [[7]], [['']]])(
  'refuses the hosts %j',
  (hosts) => {
    const options = { guards: 'none', hosts } as Parameters<typeof ZkLockBoardModule.forRoot>[0];
    expect(() => ZkLockBoardModule.forRoot(options)).toThrow(
      /`hosts` must be an array of host names.*Pass \[/,
    );
  },
);
