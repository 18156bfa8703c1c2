import type { SaleKind, SaleView, StageView } from '../../src/stage/stage-api.js';
import type { Act } from './act.js';
import { html, type View } from './html.js';

const TICKETS = 100;

const CARDS = {
  unlocked: {
    title: 'Without a lock',
    code: 'async sell(show: string) {',
    button: 'Sell 100 tickets without the lock',
  },
  locked: {
    title: 'With a lock',
    code: "@Locked('show:{0}')\nasync sell(show: string) {",
    button: 'Sell 100 tickets with the lock',
  },
} as const;

const BODY = `
  const sold = await this.ledger.read(show);
  await this.ledger.write(show, sold + 1);
}`;

/** One hundred tickets, sold through both replicas at once, and how many of them were counted. */
export function sale({ sales, replicas }: StageView, kind: SaleKind, act: Act): View {
  const { title, code, button } = CARDS[kind];
  const now = sales[kind];
  const bothRun = replicas.every(({ state, isCutOff }) => state === 'running' && !isCutOff);
  const mayNot = !bothRun || now?.state === 'selling';
  return html`
    <article class="sale" aria-labelledby=${kind}>
      <h2 id=${kind}>${title}</h2>
      <pre class="code">${code + BODY}</pre>
      <button
        type="button"
        aria-disabled=${mayNot ? 'true' : 'false'}
        onClick=${() => {
          if (!mayNot) void act('stage/sell', { kind });
        }}
      >
        ${button}
      </button>
      <p class="result" role="status">${resultText(now)}</p>
      ${grid(now)}
    </article>
  `;
}

function resultText(sale: SaleView | undefined): View | string {
  switch (sale?.state) {
    case undefined:
      return 'Two replicas sell 50 tickets each, at the same time.';
    case 'selling':
      return 'Selling …';
    case 'failed':
      return 'A sale was refused. Try again.';
    case 'done':
      return html`
        <strong>${sale.counted}</strong>${' counted, '}
        <strong class=${sale.lost > 0 ? 'bad' : 'good'}>${sale.lost}</strong>${' lost '}
        <span class="quietly">in ${(sale.ms / 1_000).toFixed(1)} s</span>
      `;
  }
}

function grid(sale: SaleView | undefined): View {
  const { counted = 0, lost = 0 } = sale ?? {};
  const kindOf = (index: number): string => {
    if (index < counted) return 'ticket counted';
    return index < counted + lost ? 'ticket lost' : 'ticket';
  };
  return html`
    <div class="tickets" aria-hidden="true">
      ${Array.from({ length: TICKETS }, (_, index) => html`<i class=${kindOf(index)}></i>`)}
    </div>
  `;
}
