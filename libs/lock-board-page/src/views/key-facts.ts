import type { BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import { fact } from './fact.js';
import { shownText } from '../text/shown-text.js';
import { ageText } from '../text/age-text.js';
import { kindText, numberText, timeText } from '../text/words.js';
import { permitsBar } from './permits-bar.js';

/** The largest sequence number of a ZooKeeper directory. */
const LAST_NUMBER = 2_147_483_647;

/** Kind, path, permits, election and last run. */
export function keyFacts(key: BoardKey, now: number): View {
  const { kind, path, kept, lastSequence, isUnknown } = key;
  return html`
    <aside aria-label="About this key">
      <dl class="facts">
        ${!isUnknown && fact('Kind', kindText(kind))} ${permits(key)} ${election(key)}
        ${kept && fact('Kept', 'Its process keeps the lock for the next call.')}
        ${lastRun(key, now)}
        ${path !== '' && fact('Path', html`<span class="code">${shownText(path)}</span>`)}
        ${lastSequence !== undefined && fact('Last sequence number', lastNumber(lastSequence))}
      </dl>
    </aside>
  `;
}

function permits({ permits }: BoardKey): View {
  if (!permits) return undefined;
  const { taken, total, sharedCount } = permits;
  const text =
    total === undefined
      ? `${numberText(taken)} taken`
      : `${numberText(taken)} of ${numberText(total)} taken`;
  return html`
    ${fact('Permits', html`${text} ${total !== undefined && permitsBar(taken, total)}`)}
    ${sharedCount !== undefined && fact('Count stored in', html`<span class="code">${shownText(sharedCount)}</span>`)}
  `;
}

function election({ election }: BoardKey): View {
  if (!election) return undefined;
  const { isLeader, isCandidate, term } = election;
  const text = isLeader ? 'Leader' : isCandidate ? 'Candidate' : 'Not a candidate';
  return html`
    ${fact('This application', text)}
    ${term !== undefined && fact('Term', html`<span class="code">${term}</span>`)}
  `;
}

function lastRun({ lastRun }: BoardKey, now: number): View {
  if (!lastRun) return undefined;
  const { by, since, until, outcome, everyMs, nextDue, results } = lastRun;
  const took = until === undefined ? 'has not ended' : `took ${ageText(until - since)}`;
  const value = html`
    <span class="outcome">${outcome}</span>, ${took}
    <span class="detail">
      <time datetime=${new Date(since).toISOString()} title=${timeText(since)}>
        ${`${ageText(now - since)} ago`}
      </time>
      ${` by ${by}`}
    </span>
  `;
  const leftMs = nextDue - now;
  const due = leftMs > 0 ? `in ${ageText(leftMs)}` : `for ${ageText(-leftMs)}`;
  return html`
    ${fact('Last run', value)}
    ${fact(
      'Next run due',
      html`
        <time datetime=${new Date(nextDue).toISOString()} title=${timeText(nextDue)}>${due}</time>
        <span class="detail">${`at most every ${ageText(everyMs)}`}</span>
      `,
    )}
    ${results && fact('Calls of this application', resultsText(results))}
  `;
}

/** `81 ran, 643 not due`. */
function resultsText(results: NonNullable<NonNullable<BoardKey['lastRun']>['results']>): string {
  const told = Object.entries(results).filter(([, count]) => count > 0);
  const texts = told.map(([name, count]) => `${numberText(count)} ${name.replace('_', ' ')}`);
  return texts.join(', ') || 'none yet';
}

function lastNumber(number: number): string {
  const share = number / LAST_NUMBER;
  const text = numberText(number);
  return share < 0.5 ? text : `${text}: ${Math.floor(share * 100)}% of the counter's range`;
}
