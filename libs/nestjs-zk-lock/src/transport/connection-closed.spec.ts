import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { onConnectionClosed } from './connection-closed.js';

describe('a connection that closes', () => {
  it.each([
    ['close', 'disconnect', {}],
    // A client of Socket.IO may send a message of any name except `disconnect`.
    ['disconnect', 'close', { disconnected: false }],
  ])('is reported once, by its event "%s", and not by "%s": %j', (event, message, state) => {
    const connection = Object.assign(new EventEmitter(), state);
    const listener = vi.fn();
    onConnectionClosed(connection, listener);
    connection.emit(message);
    expect(listener).not.toHaveBeenCalled();
    connection.emit(event);
    connection.emit(event);
    expect(listener).toHaveBeenCalledOnce();
  });

  it.each([{ destroyed: true }, { readyState: 3 }, { disconnected: true }])(
    'is reported at once if the connection was already closed: %s',
    (state) => {
      const listener = vi.fn();
      onConnectionClosed(Object.assign(new EventEmitter(), state), listener);
      expect(listener).toHaveBeenCalledOnce();
    },
  );

  it('has one listener for all of its calls, and none after the last one', () => {
    const connection = new EventEmitter();
    const listener = vi.fn();
    const stops = Array.from({ length: 20 }, () => onConnectionClosed(connection, listener));
    expect(connection.listenerCount('close')).toBe(1);
    stops.shift()?.();
    connection.emit('close');
    expect(listener).toHaveBeenCalledTimes(19);
    for (const stop of stops) stop();
    const stop = onConnectionClosed(connection, listener);
    stop();
    stop();
    expect(connection.eventNames()).toEqual([]);
  });
});
