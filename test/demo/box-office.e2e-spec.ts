import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sale } from '../../apps/demo/src/box-office.service.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { AppProcess } from '../support/app-process.js';
import { DEMO_ENV, urlOf } from './demo-process.js';

interface Answer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
}

interface Health {
  readonly details: { readonly zookeeper: { readonly held: number } };
}

/** Long enough to come in between, also on a busy machine. */
const AUDIT_MS = 4_000;

describe('the box office', () => {
  const chroot = uniqueRoot();
  let folder: string;
  let replicas: AppProcess[];
  let urls: string[];
  let show: string;

  beforeAll(async () => {
    folder = makeTempDir('box-office');
    const env = {
      ...DEMO_ENV,
      ZK_CONNECT: sharedServer().connectString + chroot,
      DEMO_STATE: join(folder, 'sales.jsonl'),
    };
    const program = 'demo/dist/box-office.js';
    replicas = [new AppProcess(program, env), new AppProcess(program, env)];
    urls = await Promise.all(replicas.map(urlOf));
  });

  afterAll(async () => {
    for (const replica of replicas) replica.signal('SIGTERM');
    await Promise.all(replicas.map((replica) => replica.outcome()));
    removeTempDir(folder);
  });

  beforeEach(() => {
    show = randomUUID();
  });

  const call = (method: string, path: string, replica = 0): Promise<Response> =>
    fetch(`${urls[replica]!}${path}`, { method });

  const send = async (method: string, path: string, replica = 0): Promise<Answer> => {
    const response = await call(method, path, replica);
    return { status: response.status, body: await response.json() };
  };

  const buy = async (name: string, query = '', replica = 0): Promise<Answer<Sale>> =>
    (await send('POST', `/shows/${name}/tickets${query}`, replica)) as Answer<Sale>;

  const audit = async (): Promise<Answer<Sale>> =>
    (await send('POST', `/shows/${show}/audit?takesMs=${AUDIT_MS}`)) as Answer<Sale>;

  const auditBegins = (): Promise<unknown> =>
    waitFor(
      async () => ((await send('GET', '/health')) as Answer<Health>).body.details.zookeeper.held,
      { what: 'the audit to begin' },
    );

  it('sells tickets under a lock, each with a higher fencing token', async () => {
    const first = await buy(show);
    const second = await buy(show, '', 1);

    expect(first).toEqual({
      status: 201,
      body: { show, sold: 1, fencingToken: expect.stringMatching(/^\d+$/) as unknown },
    });
    expect(second).toMatchObject({ status: 201, body: { show, sold: 2 } });
    expect(BigInt(second.body.fencingToken!)).toBeGreaterThan(BigInt(first.body.fencingToken!));
  });

  it('keeps sales out during an audit, and refuses a second audit in time', async () => {
    const start = performance.now();
    let isAudited = false;
    const auditing = audit().finally(() => (isAudited = true));
    await auditBegins();
    const purchase = buy(show, '', 1);
    const refused = await call('POST', `/shows/${show}/audit?timeoutMs=0`, 1);

    expect(refused.status).toBe(423);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ statusCode: 423, code: 'LOCK_TIMEOUT' });
    expect(isAudited).toBe(false);
    const [audited, bought] = await Promise.all([auditing, purchase]);
    expect(performance.now() - start).toBeGreaterThanOrEqual(AUDIT_MS);
    expect(audited).toMatchObject({ status: 200, body: { show, sold: 0 } });
    expect(bought).toMatchObject({ status: 201, body: { show, sold: 1 } });
    expect(BigInt(bought.body.fencingToken!)).toBeGreaterThan(BigInt(audited.body.fencingToken!));
  });

  it.each([
    ['POST', '/shows//tickets'],
    ['POST', '/shows/%20/tickets'],
    ['POST', `/shows/${'x'.repeat(51)}/tickets`],
    ['POST', '/shows/%E0%A4%A/tickets'],
    ['POST', '/shows/hamlet/tickets?lock=maybe'],
    ['POST', '/shows/hamlet/tickets?lock='],
    ['GET', '/shows/'],
    ['GET', '/shows/%09'],
    ['DELETE', `/shows/${'x'.repeat(51)}`],
    ['POST', '/shows/%20/audit?timeoutMs=100'],
    ['POST', '/shows/hamlet/audit?timeoutMs='],
    ['POST', '/shows/hamlet/audit?timeoutMs=-1'],
    ['POST', '/shows/hamlet/audit?timeoutMs=soon'],
    ['POST', '/shows/hamlet/audit?timeoutMs=1e3'],
    ['POST', '/shows/hamlet/audit?timeoutMs=60001'],
    ['POST', '/shows/hamlet/audit?timeoutMs=1&timeoutMs=2'],
  ])('answers 400 to %s %s', async (method, path) => {
    expect(await send(method, path)).toMatchObject({
      status: 400,
      body: { message: expect.any(String) as unknown },
    });
  });
});
