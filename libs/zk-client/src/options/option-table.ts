import { checkValue, type Option, orFunction, readChecked, type Schema } from './option.js';

/** Options by their names: an option of one name is checked in one way, wherever it is given. */
export interface OptionTable<Name extends string> {
  readonly OPTIONS: Readonly<Record<Name, Option>>;
  /** @throws {ZkLockConfigError} */
  readonly checkOption: (name: Name, value: unknown) => void;
  /** The checks of these options. */
  readonly optionsOf: <Some extends Name>(...names: Some[]) => Record<Some, Option>;
  /** The checks of these options where each may also be a function of a call's arguments. */
  readonly functionsOf: <Some extends Name>(...names: Some[]) => Record<Some, Option>;
  /**
   * The parts of an option that is an object; each of them is checked.
   *
   * @throws {ZkLockConfigError}
   */
  readonly readParts: <T extends object>(option: Name, given: T) => T;
}

export function tableOf<Name extends string>(
  options: Readonly<Record<Name, Option>>,
): OptionTable<Name> {
  const pick = <Some extends Name>(
    names: readonly Some[],
    use: (option: Option) => Option,
  ): Record<Some, Option> => {
    const entries = names.map((name) => [name, use(options[name])] as const);
    return Object.fromEntries(entries) as Record<Some, Option>;
  };
  return {
    OPTIONS: options,
    checkOption: (name, value) => checkValue(name, value, options[name]),
    optionsOf: (...names) => pick(names, (option) => option),
    functionsOf: (...names) => pick(names, orFunction),
    readParts: <T extends object>(option: Name, given: T) => {
      const prefix = `${option}.`;
      const parts = Object.entries<Option>(options).filter(([name]) => name.startsWith(prefix));
      const schema = Object.fromEntries(
        parts.map(([name, part]) => [name.slice(prefix.length), part]),
      );
      return readChecked(given, schema as Schema<T>, { prefix });
    },
  };
}
