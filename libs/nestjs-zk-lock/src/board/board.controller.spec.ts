import { EventEmitter } from 'node:events';
import { Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createBoardController } from './board.controller.js';
import { readShape } from './board.options.js';

/** Opens the stream of changes for a response. */
function openStream(response: object): { readonly viewers: () => number } {
  let count = 0;
  const changes = (): Observable<never> =>
    new Observable(() => {
      count++;
      return () => count--;
    });
  const Controller = createBoardController(readShape({ guards: 'none' }));
  const controller = new Controller({ changes }, {}, {}, {}, {}) as {
    changes(response: object): Observable<unknown>;
  };
  controller.changes(response).subscribe();
  return { viewers: () => count };
}

describe('the stream of changes', () => {
  it('ends when its viewer leaves, and listens no longer', () => {
    const response = new EventEmitter();
    const { viewers } = openStream(response);
    expect(viewers()).toBe(1);
    response.emit('close');
    expect(viewers()).toBe(0);
    expect(response.listenerCount('close')).toBe(0);
  });

  it('is not opened for a viewer that has left while the guards were deciding', () => {
    const { viewers } = openStream(Object.assign(new EventEmitter(), { destroyed: true }));
    expect(viewers()).toBe(0);
  });
});
