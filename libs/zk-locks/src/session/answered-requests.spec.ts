import { describe, expect, it } from 'vitest';
import { AnsweredRequests } from './answered-requests.js';

describe('answered requests', () => {
  it('tell when the latest one answered by an instant was sent', () => {
    const requests = new AnsweredRequests();
    expect(requests.latestSentOfAnsweredBy(10)).toBeUndefined();
    requests.add(1, 5, 0);
    requests.add(2, 7, 0);
    requests.add(6, 9, 0);
    expect(requests.latestSentOfAnsweredBy(4)).toBeUndefined();
    expect(requests.latestSentOfAnsweredBy(7)).toBe(2);
    expect(requests.latestSentOfAnsweredBy(8)).toBe(2);
    expect(requests.latestSentOfAnsweredBy(100)).toBe(6);
  });

  it('leave out what is answered closely behind the one before, and forget all when cleared', () => {
    const requests = new AnsweredRequests();
    requests.add(1, 5, 3);
    requests.add(2, 7, 3);
    expect(requests.latestSentOfAnsweredBy(100)).toBe(1);
    requests.clear();
    expect(requests.latestSentOfAnsweredBy(100)).toBeUndefined();
  });
});
