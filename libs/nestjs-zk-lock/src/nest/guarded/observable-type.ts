import { Observable } from 'rxjs';

/** Whether a declared return type is an Observable; by shape, for the method may use another rxjs. */
export function isObservableType(type: unknown): boolean {
  if (type === Observable) return true;
  const { prototype } = (type ?? {}) as {
    prototype?: Partial<Record<'subscribe' | 'pipe', unknown>>;
  };
  return typeof prototype?.subscribe === 'function' && typeof prototype.pipe === 'function';
}
