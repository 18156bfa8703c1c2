import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { FreshNews } from './fresh-news.js';

function open({ bytesRead = (): number | undefined => 0 } = {}) {
  const clock = { at: 10_000, now: () => clock.at };
  const news = new FreshNews(clock);
  const ask = vi.fn(() => {
    const sentAt = clock.at;
    return nextTurn().then(() => news.answered(sentAt));
  });
  const source = { ask, bytesRead };
  return { clock, news, ask, source };
}

describe('news', () => {
  it('are fresh for 75 ms after a request was sent that was answered', () => {
    const { clock, news } = open();
    expect(news.areFresh).toBe(false);
    news.answered(clock.at);
    clock.at += 75;
    expect(news.areFresh).toBe(true);
    clock.at += 1;
    expect(news.areFresh).toBe(false);
  });

  it('are fresh again behind a whole turn of the event loop, without a request', async () => {
    const { clock, news, ask, source } = open();
    news.answered(clock.at);
    clock.at += 700;
    await news.read(source);
    expect(news.areFresh).toBe(true);
    expect(ask).not.toHaveBeenCalled();
  });

  it('are not fresh before that turn, which begins behind the present one', async () => {
    const { clock, news, source } = open();
    news.answered(clock.at);
    clock.at += 700;
    const reading = news.read(source);
    await nextTurn();
    expect(news.areFresh).toBe(false);
    await reading;
  });

  it.each([
    ['the server was not heard for 800 ms', 801, () => 0],
    ['much has come, and there may be more', 700, rising(65_537)],
    ['the client does not read all at once', 700, () => undefined],
  ])('are asked for where %s', async (_, age, bytesRead) => {
    const { clock, news, ask, source } = open({ bytesRead });
    news.answered(clock.at);
    clock.at += age;
    await news.read(source);
    expect(ask).toHaveBeenCalledOnce();
    expect(news.areFresh).toBe(true);
  });

  it('are not fresh where the process stalls while it reads', async () => {
    const { clock, news, source } = open();
    news.answered(clock.at);
    clock.at += 100;
    const reading = news.read(source);
    await nextTurn();
    clock.at += 801;
    await reading;
    expect(news.areFresh).toBe(false);
  });

  it('are not fresh without an answer, nor on a new connection', async () => {
    const { clock, news, source } = open();
    await news.read({ ...source, ask: () => Promise.reject(new Error('no connection')) });
    expect(news.areFresh).toBe(false);
    news.answered(clock.at);
    news.forget();
    expect(news.areFresh).toBe(false);
  });

  it('are read once for all who ask at the same time', async () => {
    const { news, ask, source } = open();
    await Promise.all(Array.from({ length: 3 }, () => news.read(source)));
    expect(ask).toHaveBeenCalledOnce();
  });
});

/** Grows with each question. */
function rising(by: number): () => number {
  let bytes = 0;
  return () => (bytes += by);
}
