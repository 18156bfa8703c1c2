import type { Fault, StageView } from '../../src/stage/stage-api.js';
import type { Acting } from './act.js';
import { html, type View } from './html.js';

const BUTTONS: Readonly<Record<Fault, string>> = {
  stop: 'Stop the holder',
  kill: 'Kill the holder',
  cut: 'Cut the holder off from ZooKeeper',
};

const FAIL = 'stage/fail';
const RESTORE = 'stage/restore';

const INTRODUCTION = 'Take the lock from its holder, and see what each replica is told.';
const WAITING = 'Waiting for the next replica that gets the lock …';

/** The faults that can be inflicted on the holder, and the result of the latest one. */
export function faults({ replicas, news }: StageView, { act, refusal, underWay }: Acting): View {
  const failing = replicas.filter(({ state, isCutOff }) => state !== 'running' || isCutOff);
  const canRestore = replicas.some(({ state, isCutOff }) => state === 'ended' || isCutOff);
  const isWaiting = underWay.has(FAIL);
  const isBusy = isWaiting || underWay.has(RESTORE);
  const mayNotFail = isBusy || failing.length === replicas.length;
  const button = (text: string, mayNot: boolean, path: string, body: object): View => html`
    <button
      type="button"
      aria-disabled=${mayNot ? 'true' : 'false'}
      onClick=${() => {
        if (!mayNot) void act(path, body);
      }}
    >
      ${text}
    </button>
  `;
  const [latest] = news.filter(({ kind }) => kind === 'verdict' || kind === 'action');
  const names = failing.map(({ name }) => name).join(' and ');
  return html`
    <div class="toolbar">
      ${Object.entries(BUTTONS).map(([fault, text]) => button(text, mayNotFail, FAIL, { fault }))}
      ${button(names ? `Restore ${names}` : 'Restore', isBusy || !canRestore, RESTORE, {})}
    </div>
    <p class="outcome ${latest?.kind ?? ''}" role="status">
      ${isWaiting ? WAITING : (refusal ?? latest?.text ?? INTRODUCTION)}
    </p>
  `;
}
