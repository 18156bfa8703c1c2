import type { Partner, PartnerLock } from '../interop/support/partner.js';
import { curatorIn, startKazoo, type StartPartner } from '../interop/support/start.js';
import { waitFor } from '../support/wait-for.js';
import { type Contender, onOneClock, type StartContender } from './contender.js';
import { machineTime } from '../workers/soak/journal.js';
import { noticeOf } from './notice.js';

/** Curator's mutex, as compiled into a folder. */
export function curatorContender(classes: string): StartContender {
  return foreignContender(curatorIn(classes), { kind: 'mutex', root: '/margins/curator' });
}

export const startKazooContender: StartContender = foreignContender(startKazoo, {
  kind: 'lock',
  root: '/margins/kazoo',
});

/** Told by the library's listener for the state of the connection. */
function foreignContender(
  start: StartPartner,
  { kind, root }: { kind: string; root: string },
): StartContender {
  return async ({ servers, sessionTimeoutMs }) => {
    const partner = await start(servers, sessionTimeoutMs);
    return {
      acquire: async (key) => {
        const askedAt = machineTime();
        const lock = await insist(partner, kind, `${root}/${key}`);
        return {
          grantedAt: onOneClock(askedAt, await lock.grantedAt()),
          notice: (cutAt) =>
            waitFor(async () => noticeOf(await partner.states(), cutAt), {
              what: `the ${kind} of a partner to be told`,
              timeoutMs: 120_000,
              intervalMs: 50,
            }),
          release: () => lock.release(),
        };
      },
      stop: () => partner.end(),
    } satisfies Contender;
  };
}

/** An acquire of these libraries may fail when the session ends meanwhile; their users ask again. */
function insist(partner: Partner, kind: string, path: string): Promise<PartnerLock> {
  return waitFor(() => partner.acquire(kind, path), {
    what: `a partner to acquire ${path}`,
    timeoutMs: 60_000,
  });
}
