import type { Fault, StageView } from '../../src/stage/stage-api.js';
import type { Act } from './act.js';
import { html, type View } from './html.js';

const BUTTONS: Readonly<Record<Fault, string>> = {
  stop: 'Stop the holder',
  kill: 'Kill the holder',
  cut: 'Cut the holder off from ZooKeeper',
};

/** The faults that can be inflicted on the holder, and the result of the latest one. */
export function faults({ replicas, news }: StageView, act: Act, refusal: string | undefined): View {
  const failing = replicas.filter(({ state, isCutOff }) => state !== 'running' || isCutOff);
  const canRestore = replicas.some(({ state, isCutOff }) => state === 'ended' || isCutOff);
  const none = failing.length === replicas.length;
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
      ${Object.entries(BUTTONS).map(([fault, text]) => button(text, none, 'stage/fail', { fault }))}
      ${button(names ? `Restore ${names}` : 'Restore', !canRestore, 'stage/restore', {})}
    </div>
    <p class="outcome ${latest?.kind ?? ''}" role="status">
      ${refusal ?? latest?.text ?? 'Take the lock from its holder, and see what each replica is told.'}
    </p>
  `;
}
