/** The number of unsettled promises of the libraries, by the name of the method. */
export type OpenPromises = Map<string, number>;

/** Built-in objects, which do not work through a proxy. */
function isForeign(value: object): boolean {
  return value instanceof AbortSignal || value instanceof Promise || ArrayBuffer.isView(value);
}

/** Counts the promises that an object's methods return, and those of returned objects. */
export function countPromises<T extends object>(target: T, open: OpenPromises): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value === 'function') {
        return (...args: unknown[]): unknown =>
          counted(Reflect.apply(value, object, args), String(name), open);
      }
      return wrapped(value, open);
    },
  });
}

function counted(result: unknown, name: string, open: OpenPromises): unknown {
  if (!(result instanceof Promise)) return wrapped(result, open);
  open.set(name, (open.get(name) ?? 0) + 1);
  const settled = (): void => void open.set(name, (open.get(name) ?? 0) - 1);
  return result.then(
    (value: unknown) => {
      settled();
      return wrapped(value, open);
    },
    (error: unknown) => {
      settled();
      throw error;
    },
  );
}

/** Wraps only objects with methods, such as a lock. */
function wrapped(value: unknown, open: OpenPromises): unknown {
  if (typeof value !== 'object' || value === null || isForeign(value)) return value;
  const hasMethods = ![Object.prototype, Array.prototype, null].includes(
    Object.getPrototypeOf(value) as object | null,
  );
  return hasMethods ? countPromises(value, open) : value;
}
