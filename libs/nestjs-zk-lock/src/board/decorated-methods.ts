import type { ModulesContainer } from '@nestjs/core';
import { type CallEvent, onLockEvents } from 'zk-locks/events';
import { show } from 'zk-locks/framework';
import { definitionsIn } from '../decorators/decorated-method.js';
import { DECORATORS, ONLY_LEADER } from '../decorators/decorator-errors.js';
import type { BoardMethod } from './board-api.js';

type Counts = { -readonly [Name in keyof BoardMethod['counts']]: number };

/** As much as all decorators say. */
interface AnyDefinition {
  readonly method: string;
  readonly pattern?: string;
  /** Of `@OnlyLeader()`. */
  readonly key?: string;
  readonly options: Readonly<Record<string, unknown>> & { readonly connection?: string };
}

interface Outcomes {
  readonly counts: Counts;
  readonly failures: Map<string, number>;
}

interface Described {
  readonly counted: string;
  readonly method: Omit<BoardMethod, 'counts' | 'failures'>;
}

const NOTHING: BoardMethod['counts'] = { calls: 0, running: 0, waiting: 0, failed: 0, lost: 0 };

/** The decorated methods of one application that use a connection, and what became of their calls. */
export class DecoratedMethods {
  readonly #outcomes = new Map<string, Outcomes>();
  #described: readonly Described[] = [];

  /** @param connection its name; undefined for the unnamed one */
  constructor(
    private readonly modules: ModulesContainer,
    private readonly connection: string | undefined,
  ) {}

  /** Counts from now on. Answers a function that stops it. */
  start(): () => void {
    const { modules, connection = 'default' } = this;
    this.#described = [...describeAll(modules, this.connection)];
    for (const { counted } of this.#described) {
      this.#outcomes.set(counted, { counts: { ...NOTHING }, failures: new Map() });
    }
    const outcomesOf = (event: CallEvent): Outcomes | undefined =>
      event.connection === connection ? this.#outcomes.get(countedAs(event)) : undefined;
    const of = (event: CallEvent): Counts | undefined => outcomesOf(event)?.counts;
    return onLockEvents({
      waitStart: (event) => add(of(event), { calls: 1, waiting: 1 }),
      waitEnd: (event) => {
        const isAnswer = event.result === 'granted' || event.result === 'busy';
        add(of(event), { waiting: -1, failed: isAnswer ? 0 : 1 });
        const { failures } = outcomesOf(event) ?? {};
        if (!isAnswer) failures?.set(event.result, (failures.get(event.result) ?? 0) + 1);
      },
      holdStart: (event) => add(of(event), { running: 1 }),
      holdEnd: (event) => {
        add(of(event), { running: -1, lost: event.result === 'lost' ? 1 : 0 });
      },
    });
  }

  list(): BoardMethod[] {
    return this.#described.map(({ method, counted }) => {
      const { counts = NOTHING, failures = [] } = this.#outcomes.get(counted) ?? {};
      return { ...method, counts: { ...counts }, failures: Object.fromEntries(failures) };
    });
  }
}

function add(counts: Counts | undefined, more: Partial<Counts>): void {
  if (!counts) return;
  for (const [name, value] of Object.entries(more)) counts[name as keyof Counts] += value;
}

/** Methods are the label of their calls; all leaders of a key have one election. */
function countedAs({ kind, key, label = '' }: CallEvent): string {
  return kind === 'election' ? `election ${key}` : label;
}

function* describeAll(
  modules: ModulesContainer,
  connection: string | undefined,
): Iterable<Described> {
  const seen = new Set<AnyDefinition>();
  for (const decorator of DECORATORS) {
    for (const definition of definitionsIn<AnyDefinition>(modules, decorator)) {
      const { method, pattern, key, options } = definition;
      if (seen.has(definition) || options.connection !== connection) continue;
      seen.add(definition);
      yield {
        counted: decorator === ONLY_LEADER ? `election ${key}` : method,
        method: {
          name: `${method}()`,
          decorator: decorator.name.replace('()', ''),
          pattern: pattern ?? key ?? '',
          options: describeOptions(options),
        },
      };
    }
  }
}

function describeOptions(options: AnyDefinition['options']): [name: string, value: string][] {
  return Object.entries(options)
    .filter(([name, value]) => name !== 'connection' && value !== undefined)
    .map(([name, value]) => [name, typeof value === 'function' ? 'a function' : show(value)]);
}
