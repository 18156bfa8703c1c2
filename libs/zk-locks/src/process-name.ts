import { shortText } from 'zk-client/recipes';

/** What a process says of itself in the nodes that it creates. */
export interface NamedProcess {
  readonly host: string;
  readonly pid: number;
  readonly application?: string | undefined;
}

/** A process, as sentences name it: `billing on web-1 (pid 42)`. Strangers may have written what it says. */
export function nameProcess({ host, pid, application }: NamedProcess): string {
  const place = `${shortText(host)} (pid ${pid})`;
  return application === undefined ? place : `${shortText(application)} on ${place}`;
}

/** One call of a process: `billing on web-1 (pid 42) "nightly report"`. */
export function nameHolder(holder: NamedProcess & { readonly label?: string | undefined }): string {
  const { label } = holder;
  return `${nameProcess(holder)}${label === undefined ? '' : ` "${shortText(label)}"`}`;
}
