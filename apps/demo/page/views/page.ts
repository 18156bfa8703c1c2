import type { StageView } from '../../src/stage/stage-api.js';
import type { Acting } from './act.js';
import { faults } from './faults.js';
import { html, type View } from './html.js';
import { news } from './news.js';
import { queue } from './queue.js';
import { sale } from './sale.js';
import { timeline } from './timeline.js';

export interface PageProps extends Acting {
  /** Undefined until the first one has come. */
  readonly view: StageView | undefined;
  readonly isLive: boolean;
  readonly now: number;
}

/** The whole page. */
export function page(props: PageProps): View {
  const { view, isLive } = props;
  return html`
    <div class="board">
      <header>
        <div class="top-bar">
          <span class="name">${lockMark} nestjs-zk-lock: the demo</span>
          <nav aria-label="Pages"><a href="locks">Lock board</a></nav>
          <span class="freshness ${isLive ? 'live' : 'stale'}">
            <i class="dot"></i>${isLive ? 'live' : 'not connected'}
          </span>
        </div>
      </header>
      <main aria-busy=${view === undefined ? 'true' : 'false'}>
        <h1>Two replicas, one lock</h1>
        <p class="intro">
          <b class="replica A">A</b> and <b class="replica B">B</b> are two processes of one Nest
          application. They sell tickets, and count them in one file. Only a lock in ZooKeeper keeps
          them from counting at the same time.
        </p>
        ${view ? content(props, view) : html`<p class="empty">The replicas are starting …</p>`}
      </main>
    </div>
  `;
}

function content(props: PageProps, view: StageView): View {
  const { now, act } = props;
  return html`
    <section class="sales" aria-label="Sell 100 tickets">
      ${sale(view, 'unlocked', act)} ${sale(view, 'locked', act)}
    </section>
    <section aria-labelledby="faults">
      <h2 id="faults">What if the holder of the lock fails?</h2>
      <p>
        Each replica audits the show again and again. An audit holds the lock${' '}
        <code class="code">${view.key}</code>${' '}for four seconds.
      </p>
      ${faults(view, props)} ${timeline(view, now)}
    </section>
    <div class="columns">${queue(view, now)} ${news(view)}</div>
  `;
}

const lockMark = html`
  <svg class="mark" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d="M5 7V5a3 3 0 0 1 6 0v2" />
    <rect x="2" y="7" width="12" height="8" rx="2" />
  </svg>
`;
