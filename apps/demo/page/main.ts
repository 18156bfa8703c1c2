import { h, render } from 'preact';
import type { StageView } from '../src/stage/stage-api.js';
import { page } from './views/page.js';

const root = document.getElementById('stage');
if (root) start(root);

function start(place: HTMLElement): void {
  let view: StageView | undefined;
  let isLive = false;
  let refusal: string | undefined;
  /** Requests that have not been answered yet. */
  const underWay = new Set<string>();
  /** The server's clock minus this one's. */
  let offset = 0;

  const act = async (path: string, body: object): Promise<void> => {
    underWay.add(path);
    draw();
    refusal = await post(path, body);
    underWay.delete(path);
    draw();
  };
  const draw = (): void => {
    render(h(page, { view, isLive, refusal, underWay, now: Date.now() + offset, act }), place);
  };
  const stream = new EventSource('stage');
  stream.onopen = () => {
    isLive = true;
    draw();
  };
  stream.onmessage = ({ data }) => {
    view = JSON.parse(data as string) as StageView;
    offset = view.now - Date.now();
    draw();
  };
  stream.onerror = () => {
    isLive = false;
    draw();
  };
  setInterval(draw, 100);
  draw();
}

/** @returns why it was refused */
async function post(path: string, body: object): Promise<string | undefined> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.ok) return undefined;
    const { message } = (await response.json()) as { readonly message?: string };
    return message ?? `The demo responded with HTTP status ${response.status}.`;
  } catch {
    return 'The demo does not answer.';
  }
}
