import { type ClientRequest, request } from 'node:http';
import { waitFor } from '../../support/wait-for.js';

/** Opens an event stream on a separate connection, and collects its text. */
export class EventStream {
  text = '';
  private isOver = false;
  private readonly call: ClientRequest;

  constructor(url: string) {
    this.call = request(url, { agent: false, headers: { accept: 'text/event-stream' } });
    this.call.on('error', () => undefined);
    this.call.on('response', (response) => {
      response.setEncoding('utf8').on('error', () => undefined);
      response.on('data', (chunk: string) => (this.text += chunk));
      response.on('end', () => (this.isOver = true));
    });
    this.call.end();
  }

  async until(text: string): Promise<void> {
    await waitFor(() => this.text.includes(text), { what: `"${text}" in the event stream` });
  }

  async ended(): Promise<void> {
    await waitFor(() => this.isOver, { what: 'the event stream to end' });
  }

  close(): void {
    this.call.destroy();
  }
}
