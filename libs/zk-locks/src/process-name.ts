/** What a process says of itself in the nodes that it creates. */
export interface NamedProcess {
  readonly host: string;
  readonly pid: number;
  readonly application?: string | undefined;
}

/** A process, as sentences name it: `billing on web-1 (pid 42)`. */
export function nameProcess({ host, pid, application }: NamedProcess): string {
  return `${application === undefined ? host : `${application} on ${host}`} (pid ${pid})`;
}
