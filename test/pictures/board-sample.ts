import type { Problem } from 'zk-locks/inspect';
import type {
  BoardContender,
  BoardKey,
  BoardKeyRow,
  BoardOverview,
} from '../../libs/nestjs-zk-lock/src/board/board-api.js';
import { problemView } from '../../libs/nestjs-zk-lock/src/board/problem-view.js';

/** Data as the lock board of a shop would show it in production. */
const NOW = Date.UTC(2026, 10, 26, 14, 2, 24);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface Call {
  readonly application: string;
  readonly host: string;
  readonly pid: number;
  readonly label: string;
}

const call = (application: string, host: string, pid: number, label: string): Call => ({
  ...{ application, host, pid, label },
});

const move = (host: string): Call => call('billing', host, 1, 'TransferService.move');
const daily = (host: string, pid: number): Call =>
  call('invoice-worker', host, pid, 'InvoiceService.buildDaily');

const [POD_M, POD_X] = [move('pay-7f9c4-m4kzt'), move('pay-7f9c4-x2x8q')];

const row = (
  key: string,
  holder: Call,
  ageMs: number,
  more: Partial<BoardKeyRow> = {},
): BoardKeyRow => ({
  ...{ key, kind: 'lock', mode: 'write', holders: 1, waiting: 0, since: NOW - ageMs },
  holder: contender(holder, ageMs),
  ...more,
});

const contender = (
  of: Call,
  ageMs: number,
  more: Partial<BoardContender> = {},
): BoardContender => ({
  ...{ node: '_c_1f0c-__WRIT__0000000007', mode: 'write', isForeign: false, isEphemeral: true },
  ...{ since: NOW - ageMs, ...of },
  ...more,
});

const OTHERS: readonly (readonly [what: string, application: string, label: string])[] = [
  ['order', 'orders-api', 'OrderService.ship'],
  ['basket', 'mailer', 'BasketService.checkOut'],
  ['invoice', 'billing', 'InvoiceService.capture'],
];

/** Sorted as the page does by default: the oldest holder first. */
export const ROWS: readonly BoardKeyRow[] = [
  row('price-feed', call('stock-sync', 'sync-2', 815, 'leader'), 99 * HOUR, {
    ...{ kind: 'election', waiting: 2 },
  }),
  row('report:daily', daily('jobs-2', 4121), 3 * HOUR + 13 * MINUTE, { waiting: 2 }),
  row('export-slots', call('invoice-worker', 'jobs-1', 3987, 'export 2026-11'), 344 * SECOND, {
    ...{ kind: 'semaphore', holders: 4, permits: 4 },
  }),
  row('transfer:ACC-1007', POD_X, 233 * SECOND, { waiting: 1 }),
  row('transfer:ACC-2210', POD_M, 233 * SECOND, { waiting: 1 }),
  ...Array.from({ length: 45 }, (_, index) => {
    const [what, application, label] = OTHERS[index % OTHERS.length]!;
    const holder = call(application, `web-${(index % 4) + 1}`, 2_000 + (index % 4), label);
    return row(`${what}:${48_481 + 13 * index}`, holder, (141 - 2 * index) * SECOND);
  }),
];

const waits = (of: Call, waitedMs: number, waiting: number, key: string): object => ({
  ...{ kind: 'long-wait', severity: 'serious', key, waitedMs, waiting },
  contender: { mode: 'write', holder: of },
});

const PROBLEMS = [
  {
    ...{ kind: 'deadlock', severity: 'serious' },
    deadlock: [
      { holder: POD_M, holds: 'transfer:ACC-2210', waitsFor: 'transfer:ACC-1007' },
      { holder: POD_X, holds: 'transfer:ACC-1007', waitsFor: 'transfer:ACC-2210' },
    ],
  },
  {
    ...{ kind: 'long-hold', severity: 'serious', key: 'report:daily' },
    ...{ contender: { mode: 'write', holder: daily('jobs-2', 4121) }, heldMs: 193 * MINUTE },
  },
  waits(daily('jobs-1', 3987), 53 * MINUTE + 40 * SECOND, 2, 'report:daily'),
  { ...waits(POD_X, 141 * SECOND, 1, 'transfer:ACC-2210'), severity: 'warning' },
  { ...waits(POD_M, 141 * SECOND, 1, 'transfer:ACC-1007'), severity: 'warning' },
] as unknown as readonly Problem[];

export const OVERVIEW: BoardOverview = {
  ...{ revision: 1, now: NOW, connection: '', root: '/locks' },
  process: { application: 'orders-api', host: 'web-1', pid: 2_000 },
  session: { state: 'connected', timeoutMs: 30_000 },
  servers: [1, 2, 3].map((number) => ({
    ...{ address: `zk-${number}.prod:2181`, isConnected: number === 2 },
  })),
  totals: { keys: 50, held: 50, waiting: 6 },
  problems: PROBLEMS.map((problem) => problemView(problem, NOW)),
  totalProblems: PROBLEMS.length,
  limits: { longWaitMs: MINUTE, longHoldMs: 10 * MINUTE },
  may: { revoke: true, break: true, setPermits: true, resign: true },
  methods: [],
};

const IMPORT = call('stock-sync', 'sync-1', 812, 'nightly import');
const RESERVE = call('orders-api', 'web-1', 2_000, 'reserve order 48211');
const PICK = call('billing', 'web-2', 2_001, 'pick list');
const RECOUNT = call('stock-sync', 'web-3', 2_002, 'recount');

const ago = (seconds: number): number => NOW - seconds * SECOND;

/** `who` is an index into the calls of the history. */
const event = (
  seconds: number,
  name: 'asked' | 'granted' | 'released',
  who: number,
  text: string,
  waiting: number,
) => ({ ...{ at: ago(seconds), event: name, who, text, waiting } });

export const KEY: BoardKey = {
  ...{ revision: 1, key: 'stock:warehouse-berlin', kind: 'lock' },
  ...{ path: '/locks/stock:warehouse-berlin', lastSequence: 1_204, problems: [] },
  holders: [
    contender(IMPORT, 39 * SECOND, {
      ...{ token: '8594200465', session: '0x1000376359ad0004', heldSince: ago(37) },
      command: 'zk-lock break stock:warehouse-berlin --node … --token 8594200465',
    }),
  ],
  totalHolders: 1,
  waiters: [
    contender(RESERVE, 36 * SECOND),
    contender(PICK, 27 * SECOND),
    contender(RECOUNT, 18 * SECOND),
    contender({ ...RESERVE, host: 'web-4', pid: 2_003 }, 9 * SECOND, { mode: 'read' }),
  ],
  totalWaiting: 4,
  history: {
    ...{ since: ago(600), gaps: [], hasCohorts: false },
    who: [RESERVE, PICK, IMPORT, RECOUNT].map((one) => ({ ...one, isForeign: false })),
    events: [
      event(53, 'asked', 0, 'asked for it', 1),
      event(53, 'granted', 0, 'got it at once', 0),
      event(48, 'asked', 1, 'asked for it', 1),
      event(45, 'released', 0, 'released it after 8.0 s', 1),
      event(45, 'granted', 1, 'got it after 3.0 s', 0),
      event(39, 'asked', 2, 'asked for it', 1),
      event(37, 'released', 1, 'released it after 8.0 s', 1),
      event(37, 'granted', 2, 'got it after 2.0 s', 0),
      event(36, 'asked', 0, 'asked for it', 1),
      event(27, 'asked', 1, 'asked for it', 2),
      event(18, 'asked', 3, 'asked for it', 3),
      event(9, 'asked', 0, 'asked for it', 4),
    ],
    holds: [
      { who: 0, from: ago(53), until: ago(45), end: 'released' },
      { who: 1, from: ago(45), until: ago(37), end: 'released' },
      { who: 2, from: ago(37) },
    ],
  },
};
