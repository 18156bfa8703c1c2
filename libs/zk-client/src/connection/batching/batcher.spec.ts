import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { CreateMode, ErrorCode, OpCode } from 'zk-protocol';
import { expect, it } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../port/client-errors.js';
import { parentOf } from '../../port/node-path.js';
import { toEntries } from '../translate.js';
import { FakeLine } from '../../../../../test/support/fake-line.js';
import { isWrite, type Operation, type Outcome } from '../../../../../test/support/small-tree.js';
import { Batcher } from './batcher.js';
import { Batching } from './batching.js';

const ROOT = '/r';
const OPEN_ACL = toEntries();
/** Small, so that histories reach each limit. */
const LIMITS = { fewestWrites: 2, mostWrites: 6, mostReads: 4, mostBytes: 500 };

interface Answered {
  readonly outcome: Outcome;
  readonly wasSent: boolean;
  /** Length of the history at that moment. */
  readonly at: number;
}

/** A request of ours, and what is known about it. */
interface Asked {
  readonly operation: Operation;
  readonly rank: number | undefined;
  /** Number of writes that this client asked for earlier. */
  readonly writesBefore: number;
  /** Length of the history at that moment. */
  readonly at: number;
  answered?: Answered;
}

type Command =
  | {
      readonly do: 'ask';
      readonly operation: Operation;
      readonly isAlone: boolean;
      readonly isRanked: boolean;
    }
  | { readonly do: 'others'; readonly operation: Operation }
  | { readonly do: 'turn' | 'execute' | 'answer' };

const directory = fc.constantFrom(ROOT, `${ROOT}/a`, `${ROOT}/b`);
const path = fc
  .tuple(directory, fc.constantFrom('a', 'b', 'x', 's-0000000000', 's-0000000001'))
  .map(([parent, name]) => `${parent}/${name}`);
const data = fc.integer({ min: 0, max: 1e9 }).map((value) => Buffer.from(String(value)));
const version = fc.constantFrom(-1, -1, 0, 1);
const acl = fc.constant(OPEN_ACL);

const numbered: fc.Arbitrary<Operation> = fc.record({
  type: fc.constant(OpCode.create2),
  request: fc.record({
    path: fc.constant(`${ROOT}/s-`),
    flags: fc.constant(CreateMode.persistentSequential),
    ...{ data, acl },
  }),
});
const write: fc.Arbitrary<Operation> = fc.oneof(
  ...[
    path.map((at) => [at, CreateMode.persistent] as const),
    directory.map((at) => [`${at}/s-`, CreateMode.persistentSequential] as const),
  ].map((created) =>
    fc.record({
      type: fc.constant(OpCode.create2),
      request: fc
        .record({ created, data, acl })
        .map(({ created: [at, flags], ...rest }) => ({ path: at, flags, ...rest })),
    }),
  ),
  fc.record({ type: fc.constant(OpCode.delete), request: fc.record({ path, version }) }),
  fc.record({ type: fc.constant(OpCode.setData), request: fc.record({ path, data, version }) }),
);
const watch = fc.boolean();
const read: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant(OpCode.getData), request: fc.record({ path, watch }) }),
  fc.record({
    type: fc.constant(OpCode.getChildren),
    request: fc.record({ path: directory, watch }),
  }),
);
const ask = (operations: fc.Arbitrary<Operation>): fc.Arbitrary<Command> =>
  fc.record({
    do: fc.constant<'ask'>('ask'),
    operation: operations,
    isAlone: fc.integer({ max: 9, min: 0 }).map((number) => number === 0),
    isRanked: fc.integer({ max: 4, min: 0 }).map((number) => number > 0),
  });
const byOthers: fc.Arbitrary<Command> = write.map((operation) => ({ do: 'others', operation }));
const commandsOf = (writes: fc.Arbitrary<Operation>, others: number) =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: ask(writes) },
      { weight: 4, arbitrary: ask(read) },
      { weight: others, arbitrary: byOthers },
      { weight: 2, arbitrary: fc.constant<Command>({ do: 'turn' }) },
      { weight: 3, arbitrary: fc.constant<Command>({ do: 'execute' }) },
      { weight: 3, arbitrary: fc.constant<Command>({ do: 'answer' }) },
    ),
    { minLength: 20, maxLength: 80 },
  );

function send(
  batcher: Batcher,
  { type, request: body }: Operation,
  isAlone = false,
  rank?: number,
): Promise<unknown> {
  const { path } = body;
  return new Promise((resolve, reject) =>
    batcher.send({ type, body, path, isAlone, rank, resolve, reject }),
  );
}

/** The answer to a caller of the batcher, as the tree words it. */
async function tell(asked: Asked, line: FakeLine, answering: Promise<unknown>): Promise<void> {
  try {
    const outcome = inWords(asked.operation, await answering);
    asked.answered = { outcome, wasSent: true, at: line.history.length };
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) throw error;
    const { returnCode: err, outcome } = error;
    const wasSent = outcome !== 'not-sent';
    asked.answered = { outcome: { err }, wasSent, at: line.history.length };
  }
}

function inWords({ type }: Operation, answer: unknown): Outcome {
  const {
    path: created,
    stat,
    czxid,
    data: bytes,
    children,
  } = (answer ?? {}) as {
    readonly path?: string;
    readonly stat?: { readonly czxid: bigint; readonly version: number };
    readonly czxid?: bigint;
    readonly data?: Buffer;
    readonly children?: readonly string[];
  };
  switch (type) {
    case OpCode.create2:
      return { value: created ?? '', czxid: czxid ?? stat?.czxid ?? -1n };
    case OpCode.delete:
      return { value: '' };
    case OpCode.setData:
      return { value: String(stat?.version) };
    case OpCode.getData:
      return { value: `${stat?.czxid} ${stat?.version} ${String(bytes)}` };
    case OpCode.getChildren:
      return { value: [...(children ?? [])].toSorted().join() };
  }
}

const LOSSES: ReadonlySet<number> = new Set([ReturnCode.connectionLoss, ReturnCode.invalidState]);

const isLoss = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && 'err' in outcome && LOSSES.has(outcome.err);

/** Each write was done once, in order, and its caller got its outcome. */
function checkWrites(asked: readonly Asked[], line: FakeLine): void {
  const done = line.history.flatMap((step) => (step.write ? [step.write] : []));
  const writes = asked.filter(({ operation }) => isWrite(operation));
  expect(done.length).toBeLessThanOrEqual(writes.length);
  expect(done.map(({ operation }) => operation)).toEqual(
    writes.slice(0, done.length).map(({ operation }) => operation),
  );
  for (const [index, { answered }] of writes.entries()) {
    if (isLoss(answered?.outcome)) {
      if (index < done.length) expect(answered?.wasSent).toBe(true);
    } else {
      expect(answered?.outcome).toEqual(done[index]?.outcome);
    }
  }
}

/** Each read saw all writes asked for before it, and none asked for later. */
function checkReads(asked: readonly Asked[], line: FakeLine): void {
  const { history } = line;
  const steps = history.flatMap((step, index) => (step.write ? [{ ...step.write, index }] : []));
  for (const { operation, writesBefore, at, answered } of asked.filter(
    ({ operation }) => !isWrite(operation),
  )) {
    if (!answered || isLoss(answered.outcome)) continue;
    const first = Math.max(at - 1, steps[writesBefore - 1]?.index ?? 0);
    const change = steps
      .slice(writesBefore)
      .find((step) => changes(step.operation, step.outcome, operation.request.path));
    const seen = history
      .slice(first, Math.min(answered.at, change?.index ?? Infinity))
      .map(({ tree }) => tree.execute(operation, 0n));
    expect(seen).toContainEqual(answered.outcome);
  }
}

function changes({ type, request }: Operation, outcome: Outcome, what: string): boolean {
  const name = type === OpCode.create2 && 'value' in outcome ? outcome.value : request.path;
  return name === what || (type !== OpCode.setData && parentOf(name) === what);
}

/**
 * Czxid and rank rise in the order of creation in each directory. A node without rank shares its czxid with
 * none. @returns how many share theirs
 */
function checkTokens(asked: readonly Asked[]): number {
  const latest = new Map<string, { readonly czxid: bigint; readonly rank: number }>();
  let shared = 0;
  for (const { operation, rank, answered } of asked) {
    if (operation.type !== OpCode.create2 || !answered || !('value' in answered.outcome)) continue;
    const { value, czxid = -1n } = answered.outcome;
    const before = latest.get(parentOf(value));
    if (before?.czxid === czxid) {
      shared++;
      expect(rank ?? -1).toBeGreaterThan(before.rank);
    } else if (before) expect(czxid).toBeGreaterThan(before.czxid);
    latest.set(parentOf(value), { czxid, rank: rank ?? Infinity });
  }
  return shared;
}

it.each([
  ['all writes', commandsOf(write, 1), { refusedMultis: 0 }],
  ['creations', commandsOf(numbered, 0), { sharedCzxids: 0 }],
])(
  'answers each request as if it were sent by itself: writes in order, reads after them (%s)',
  async (_, commands, own) => {
    const counts: Record<string, number> = { multis: 0, multiReads: 0, lost: 0, ...own };
    const add = (what: string, count: number): void => {
      if (what in counts) counts[what]! += count;
    };
    await fc.assert(
      fc.asyncProperty(commands, fc.boolean(), async (program, isLost) => {
        const line = new FakeLine(ROOT);
        const batcher = new Batcher(line, new Batching({ writesPerMs: 0 }), LIMITS);
        const asked: Asked[] = [];
        const telling: Promise<void>[] = [];
        const run = async (command: Command): Promise<void> => {
          if (command.do === 'ask') {
            const { operation, isAlone, isRanked } = command;
            const writesBefore = asked.filter(({ operation }) => isWrite(operation)).length;
            // They start again at 0 now and then, as those of the locks do.
            const rank = isRanked ? asked.length % 7 : undefined;
            const one: Asked = { operation, rank, writesBefore, at: line.history.length };
            asked.push(one);
            telling.push(tell(one, line, send(batcher, operation, isAlone, rank)));
          } else if (command.do === 'others') line.byOthers(command.operation);
          else if (command.do === 'execute') line.execute();
          else if (command.do === 'answer') line.answer();
          else await nextTurn();
        };
        for (const command of program) await run(command);
        if (isLost) line.end();
        for (let turns = 0; turns < 1_000; turns++) {
          await nextTurn();
          if (line.isIdle) break;
          line.execute();
          line.answer();
        }
        await Promise.all(telling);
        checkWrites(asked, line);
        checkReads(asked, line);
        add('sharedCzxids', checkTokens(asked));
        for (const [what, count] of Object.entries(line.counts)) add(what, count);
        add('lost', asked.filter(({ answered }) => isLoss(answered?.outcome)).length);
      }),
      { numRuns: 150 },
    );
    // Otherwise the generated histories reached none of these cases.
    expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(20);
  },
);

const set = (at: string): Operation => ({
  type: OpCode.setData,
  request: { path: at, data: Buffer.from(at), version: -1 },
});

function open(batching = new Batching({ writesPerMs: 0 })): {
  readonly line: FakeLine;
  readonly batcher: Batcher;
  readonly setAll: (...paths: string[]) => Promise<PromiseSettledResult<unknown>[]>;
} {
  const line = new FakeLine(ROOT);
  const batcher = new Batcher(line, batching, LIMITS);
  return {
    ...{ line, batcher },
    setAll: (...paths) => Promise.allSettled(paths.map((at) => send(batcher, set(at)))),
  };
}

it('sends requests at once, however many are unanswered, unless one of those is a multi', async () => {
  const { line, setAll } = open();
  for (let sent = 1; sent <= 10; sent++) {
    void setAll('/r');
    await nextTurn();
    expect(line.counts.mostSentAtOnce).toBe(sent);
  }
  void setAll('/r', '/r');
  await nextTurn();
  void setAll('/r');
  await nextTurn();
  void setAll('/r');
  await nextTurn();
  expect(line.counts.mostSentAtOnce).toBe(11);
  for (let answered = 0; answered < 11; answered++) {
    line.execute();
    line.answer();
  }
  await nextTurn();
  line.execute();
  expect(line.counts.multis).toBe(2);
  line.end();
});

it('tells for each request that a loss left unanswered whether it was sent', async () => {
  const { line, setAll } = open();
  const sent = setAll('/r', '/r');
  await nextTurn();
  const waiting = setAll('/r', '/r');
  await nextTurn();
  line.end();
  const reasons = [...(await sent), ...(await waiting)];
  expect(reasons).toMatchObject(
    ['ambiguous', 'ambiguous', 'not-sent', 'not-sent'].map((outcome) => ({
      reason: { request: 'set', path: '/r', outcome },
    })),
  );
});

it('closes after all earlier requests, even if those have to be sent again', async () => {
  const { line, batcher, setAll } = open();
  const all = setAll('/r', '/none', '/r');
  await nextTurn();
  const closing = batcher.close();
  expect(batcher.isOpen).toBe(false);
  expect(await setAll('/r')).toMatchObject([{ reason: { outcome: 'not-sent' } }]);
  expect(await batcher.close()).toBe(false);
  while (!line.isIdle) {
    line.execute();
    line.answer();
    await nextTurn();
  }
  expect(await all).toMatchObject([
    { status: 'fulfilled' },
    { reason: { returnCode: ErrorCode.noNode, path: '/none' } },
    { status: 'fulfilled' },
  ]);
  expect(await closing).toBe(true);
});

it('sends the value that was passed, even if the caller changes it later', async () => {
  const { line, batcher, setAll } = open();
  void setAll('/r', '/r');
  await nextTurn();
  const data = Buffer.from('before');
  const request = { path: '/r', data, version: -1 };
  void send(batcher, { type: OpCode.setData, request }).catch(() => undefined);
  data.write('behind');
  while (!line.isIdle) {
    line.execute();
    line.answer();
    await nextTurn();
  }
  const { operation } = line.history.at(-1)?.write ?? {};
  expect(operation).toMatchObject({ request: { data: Buffer.from('before') } });
});
