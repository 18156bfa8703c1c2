import { parseArgs } from 'node:util';

export interface Request {
  readonly url: string;
  readonly init: { readonly method: string; readonly headers: Headers; readonly body?: string };
}

/**
 * A line of documentation that calls curl, as `fetch` takes it.
 *
 * @param origin whom to ask in place of the one that it names
 */
export function readCurl(line: string, origin: string): Request {
  const words = Array.from(
    line.matchAll(/'([^']*)'|(\S+)/g),
    ([, quoted, bare]) => quoted ?? bare!,
  );
  const comment = words.indexOf('#');
  const {
    values: { request, header = [], data },
    positionals: [url = ''],
  } = parseArgs({
    args: words.slice(1, comment === -1 ? undefined : comment),
    allowPositionals: true,
    options: {
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
      // What is shown, and when.
      include: { type: 'boolean', short: 'i' },
      'no-buffer': { type: 'boolean', short: 'N' },
    },
  });
  // A connection that is kept alive holds up Node's HTTP server for five seconds.
  const headers = new Headers({ connection: 'close' });
  for (const each of header) headers.append(...(each.split(': ') as [string, string]));
  const method = request ?? (data === undefined ? 'GET' : 'POST');
  return {
    url: url.replace(/^localhost:\d+/, origin),
    init: { method, headers, ...(data !== undefined && { body: data }) },
  };
}
