import type { Period, ReplicaView, StageView } from '../../src/stage/stage-api.js';
import { html, type View } from './html.js';

const SHOWN_MS = 30_000;

/** Who held the lock during the last 30 seconds: a lane for each replica. Bars never overlap. */
export function timeline(view: StageView, now: number): View {
  return html`
    <div class="lanes">
      ${view.replicas.map((replica) => lane(replica, view, now))}
      <div class="axis" aria-hidden="true">
        <span>30 s ago</span><span>20 s</span><span>10 s</span><span>now</span>
      </div>
    </div>
  `;
}

function lane(replica: ReplicaView, { periods }: StageView, now: number): View {
  const { name, pid } = replica;
  const own = periods.filter((period) => period.replica === name);
  const holds = own.some(({ kind, until }) => kind === 'held' && until === undefined);
  return html`
    <div class="lane">
      <p>
        <b class="replica ${name}">${name}</b> ${stateText(replica, holds)}
        ${pid !== undefined && html`<span class="quietly"> pid ${pid}</span>`}
      </p>
      <svg viewBox="0 0 ${SHOWN_MS} 1" preserveAspectRatio="none" aria-hidden="true">
        ${own.filter((period) => !isHold(period)).map((period) => bar(period, now))}
        ${own.filter(isHold).map((period) => bar(period, now))}
      </svg>
    </div>
  `;
}

function stateText({ state, isCutOff, session }: ReplicaView, holds: boolean): string {
  if (state !== 'running') return STATES[state];
  if (isCutOff) {
    return holds
      ? 'is cut off, and may still use the lock'
      : `is cut off; its session is ${session}`;
  }
  return holds ? 'holds the lock' : 'is waiting for the lock';
}

const STATES = { starting: 'is starting', stopping: 'is stopping', ended: 'has ended' } as const;

const isHold = ({ kind }: Period): boolean => kind === 'held' || kind === 'lost';

function bar(period: Period, now: number): View {
  const { replica, kind, from, until = now } = period;
  const start = Math.max(0, from - now + SHOWN_MS);
  const end = Math.min(SHOWN_MS, until - now + SHOWN_MS);
  if (end <= 0 || end <= start) return undefined;
  return html`<rect
    class="${kind.replace(' ', '-')} ${replica}"
    x=${start}
    width=${end - start}
    y=${isHold(period) ? 0.2 : 0}
    height=${isHold(period) ? 0.6 : 1}
  />`;
}
