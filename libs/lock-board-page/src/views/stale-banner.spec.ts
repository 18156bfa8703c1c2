import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Board } from '../state/board.js';
import { staleBanner } from './stale-banner.js';

const HOUR = 3_600_000;

/** The text of a view, without its elements. */
function textOf(view: unknown): string {
  if (Array.isArray(view)) return view.map(textOf).join('');
  if (typeof view === 'string') return view;
  const { props } = (view ?? {}) as { readonly props?: { readonly children?: unknown } };
  return props ? textOf(props.children) : '';
}

describe('the banner of an application that does not answer', () => {
  let isAway: boolean;
  let board: Board;

  beforeEach(() => {
    vi.useFakeTimers();
    isAway = false;
    vi.stubGlobal('location', { hash: '' });
    vi.stubGlobal('fetch', () => {
      const body = { now: Date.now(), totalProblems: 0, total: 0, rows: [] };
      const response = { ok: true, json: () => Promise.resolve(body) };
      return isAway ? Promise.reject(new TypeError('fetch failed')) : Promise.resolve(response);
    });
    board = new Board(() => undefined);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  const fetchAll = async (): Promise<void> => {
    board.refreshNow();
    await vi.advanceTimersByTimeAsync(0);
  };

  it('says how old the data is, and not how long ago the page noticed', async () => {
    await fetchAll();
    expect(staleBanner(board)).toBeUndefined();
    isAway = true;
    // A hidden page does not fetch.
    await vi.advanceTimersByTimeAsync(3 * HOUR);
    await fetchAll();
    expect(textOf(staleBanner(board))).toMatch(
      /^The application does not answer\.\s*This is the state of 3 h 00 min ago\. Retrying/,
    );
  });

  it('says nothing of an age before there is any data', async () => {
    isAway = true;
    await fetchAll();
    await vi.advanceTimersByTimeAsync(1_500);
    expect(textOf(staleBanner(board))).toMatch(
      /^The application does not answer\.\s*Retrying until it answers\.$/,
    );
  });
});
