import { LockKeyError } from './lock-errors.js';

/** `${id}` outside of backticks, and the `{0}`, `{0.id}` of decorators. */
const HOLE = /\$\{[^}]*\}|\{\d+(?:\.[^{}.\s]+)*\}/;

/** Of a key that may be 512 bytes long. */
const LONGEST_SHOWN = 80;

/**
 * Refuses a key whose hole nothing has filled in: all calls would get one lock. A call with a
 * `pattern` has said what its keys are made of, so that its braces are meant.
 *
 * @throws {LockKeyError}
 */
export function refuseHoles({ key, pattern }: KeyRequest): void {
  if (pattern !== undefined || !key.includes('{')) return;
  const [hole] = HOLE.exec(key) ?? [];
  if (hole === undefined) return;
  const remedy = hole.startsWith('$')
    ? 'Write the key in backticks, so that JavaScript fills it in.'
    : 'Only decorators fill it in; build the key from its values, as `order:${id}` in backticks.';
  throw new LockKeyError(
    `The key '${key.slice(0, LONGEST_SHOWN)}' still has '${hole}', so that all calls would get the same lock. ${remedy} If these braces are meant, say so by the option \`pattern\`, as in { pattern: 'order:{id}' }.`,
  );
}

interface KeyRequest {
  readonly key: string;
  readonly pattern: string | undefined;
}
