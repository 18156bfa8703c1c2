import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 200;
/** Longer than a replica that is cut off takes to lose its session. */
const AUDIT_MS = 4_000;

export interface Visit {
  /** Where to audit; undefined while there is nothing to do. */
  url(): string | undefined;
  /** Called when the response is an error. */
  refused(status: number, message: string): void;
}

/** Asks a replica for one audit after another, until the signal aborts. */
export async function keepAuditing(show: string, visit: Visit, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const url = visit.url();
    if (url !== undefined)
      await audit(`${url}/shows/${show}/audit?takesMs=${AUDIT_MS}`, visit, signal);
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function audit(url: string, visit: Visit, signal: AbortSignal): Promise<void> {
  try {
    // A keep-alive connection would delay the end of a replica.
    const headers = { connection: 'close' };
    const response = await fetch(url, { method: 'POST', headers, signal });
    const answer = (await response.json()) as { readonly message?: string };
    if (!response.ok) visit.refused(response.status, answer.message ?? '');
  } catch {
    // The replica has ended, or this process does.
  }
}
