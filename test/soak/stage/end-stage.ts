import { TICK_MS } from '../configuration/configuration.js';
import type { Violation } from '../history/history.js';
import type { Stage } from './stage.js';
import { waitFor } from '../../support/wait-for.js';

/** Lets every process close and exit by itself, and looks for what remains on the servers. */
export async function endStage(stage: Stage): Promise<Violation[]> {
  const violations: Violation[] = [];
  const report = (message: string): void => {
    violations.push({ promise: 'nothing left', message });
  };
  for (const { process } of stage.replicas) {
    try {
      const resources = await process.close(stage.sessionTimeoutMs);
      if (resources.length > 0) report(`${process.name} had open ${resources.join(', ')}`);
    } catch (error) {
      report(`${process.name} did not close: ${String(error)}`);
    }
  }
  // The onlooker's own session is in the list while it asks. The replicas' sessions end by closing.
  let sessions: readonly string[] = [];
  const isEmpty = async (): Promise<boolean> => {
    sessions = await stage.onlooker.sessions();
    return sessions.length === 0;
  };
  // If the answer to a session's creation was too late for its client, the session expires by
  // itself, in whole ticks.
  const timeoutMs = 2 * (stage.sessionTimeoutMs + TICK_MS);
  await waitFor(isEmpty, { what: 'sessions to end', timeoutMs }).catch(() =>
    report(`the servers still had the sessions ${sessions.join(', ')}`),
  );
  return violations;
}
