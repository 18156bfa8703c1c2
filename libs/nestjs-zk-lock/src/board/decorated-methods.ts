import type { ModulesContainer } from '@nestjs/core';
import { show } from 'zk-locks/framework';
import { type Definition, definitionsIn } from '../decorators/decorated-method.js';
import { DECORATORS } from '../decorators/decorator-errors.js';
import type { MethodOutcomes } from '../method-outcomes.js';
import type { BoardMethod } from './board-api.js';

/** A method's description, and the definition by which its calls are counted. */
export interface Described {
  readonly definition: Definition;
  readonly method: Omit<BoardMethod, 'counts' | 'failures'>;
}

/** @param outcomes those of the connection by which the methods were described */
export function withOutcomes(
  described: readonly Described[],
  outcomes: MethodOutcomes,
): BoardMethod[] {
  return described.map(({ method, definition }) => {
    const { failures, ...counts } = outcomes.of(definition);
    return { ...method, counts, failures };
  });
}

/**
 * The decorated methods of one application that use a connection. All modules must exist.
 *
 * @param connection its name; undefined for the unnamed one
 */
export function* describeAll(
  modules: ModulesContainer,
  connection: string | undefined,
): Iterable<Described> {
  const seen = new Set<Definition>();
  for (const decorator of DECORATORS) {
    for (const definition of definitionsIn<Definition>(modules, decorator)) {
      const { method, pattern, options } = definition;
      if (seen.has(definition) || options.connection !== connection) continue;
      seen.add(definition);
      yield {
        definition,
        method: {
          name: `${method}()`,
          decorator: decorator.name.replace('()', ''),
          pattern,
          options: describeOptions(options),
        },
      };
    }
  }
}

function describeOptions(
  options: Readonly<Record<string, unknown>>,
): [name: string, value: string][] {
  return Object.entries(options)
    .filter(([name, value]) => name !== 'connection' && value !== undefined)
    .map(([name, value]) => [name, typeof value === 'function' ? 'a function' : show(value)]);
}
