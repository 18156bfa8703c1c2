import type { ModulesContainer } from '@nestjs/core';
import { show } from 'zk-locks/framework';
import { definitionsIn } from '../decorators/decorated-method.js';
import { DECORATORS } from '../decorators/decorator-errors.js';
import type { MethodOutcomes } from '../method-outcomes.js';
import type { BoardMethod } from './board-api.js';

/** The part of a definition that all decorators share. */
interface AnyDefinition {
  readonly method: string;
  readonly pattern?: string;
  /** Set by `@OnlyLeader()`. */
  readonly key?: string;
  readonly options: Readonly<Record<string, unknown>> & { readonly connection?: string };
}

/** A method's description, and the definition by which its calls are counted. */
interface Described {
  readonly definition: AnyDefinition;
  readonly method: Omit<BoardMethod, 'counts' | 'failures'>;
}

/** The decorated methods of one application that use a connection, and the outcomes of their calls. */
export class DecoratedMethods {
  #described: readonly Described[] = [];

  /** @param connection its name; undefined for the unnamed one */
  constructor(
    private readonly modules: ModulesContainer,
    private readonly connection: string | undefined,
  ) {}

  /** Called once all modules exist. */
  start(): void {
    this.#described = [...describeAll(this.modules, this.connection)];
  }

  list(outcomes: MethodOutcomes): BoardMethod[] {
    return this.#described.map(({ method, definition }) => {
      const { failures, ...counts } = outcomes.of(definition);
      return { ...method, counts, failures };
    });
  }
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
        definition,
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
