import type { BoardGroups, BoardKey, BoardKeys, BoardOverview } from '../board-api.js';
import { type KeysQuery, wordsOfQuery } from '../state/route.js';

const ACTION_WITHIN_MS = 20_000;

/** The application does not answer, or refuses the request. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
    this.name = 'RequestError';
  }
}

const script = new URL(import.meta.url);
// The browser sends the credentials of the page's address by itself, and refuses them in that of a request.
script.username = '';
script.password = '';

/** Relative to this script, because the application chooses the path of the board. */
const addressOf = (path: string): URL => new URL(path, script);

export const changesAddress = addressOf('changes');

export const fetchOverview = (signal: AbortSignal): Promise<BoardOverview> =>
  get('overview', signal);

export const fetchKeys = (query: KeysQuery, signal: AbortSignal): Promise<BoardKeys> =>
  get(`keys?${wordsForServer(query).toString()}`, signal);

export const fetchGroups = (query: KeysQuery, signal: AbortSignal): Promise<BoardGroups> =>
  get(`groups?${wordsForServer(query).toString()}`, signal);

export function fetchKey(key: string, offset: number, signal: AbortSignal): Promise<BoardKey> {
  const words = new URLSearchParams({ key, offset: String(offset) });
  return get(`key?${words.toString()}`, signal);
}

/** @returns the server's sentence about the result */
export async function postAction(
  name: string,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  const answer = await request<{ readonly text?: string }>(`actions/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ACTION_WITHIN_MS),
  });
  return answer.text ?? 'Done.';
}

function wordsForServer(query: KeysQuery): URLSearchParams {
  const words = wordsOfQuery(query);
  words.set('sort', query.sort);
  words.set('order', query.order);
  return words;
}

const get = <T>(path: string, signal: AbortSignal): Promise<T> => request(path, { signal });

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await answerTo(path, init);
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new RequestError(messageOf(body, response), response.status);
  if (body === undefined)
    throw new RequestError('The application sent an unexpected response: reload the page.');
  return body as T;
}

async function answerTo(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(addressOf(path), { cache: 'no-store', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new RequestError('The application does not answer.');
  }
}

function messageOf(body: unknown, { status }: Response): string {
  if (status === 401) return 'You are no longer signed in: reload the page.';
  const { message } = (body ?? {}) as { readonly message?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  return `The application responded with HTTP status ${String(status)}.`;
}
