import { shortText } from 'zk-client/recipes';

/** How a process identifies itself in the nodes that it creates. */
export interface NamedProcess {
  readonly host: string;
  readonly pid: number;
  readonly application?: string | undefined;
}

/**
 * Names a process in a sentence: `billing on web-1 (pid 42)`. The data may come from another
 * program.
 */
export function nameProcess({ host, pid, application }: NamedProcess): string {
  const place = `${shortText(host)} (pid ${pid})`;
  return application === undefined ? place : `${shortText(application)} on ${place}`;
}

/** Names one call of a process: `billing on web-1 (pid 42) "nightly report"`. */
export function nameHolder(holder: NamedProcess & { readonly label?: string | undefined }): string {
  const { label } = holder;
  return `${nameProcess(holder)}${label === undefined ? '' : ` "${shortText(label)}"`}`;
}
