import { parseArgs } from 'node:util';

export interface Request {
  readonly url: string;
  readonly init: { readonly method: string; readonly headers: Headers; readonly body?: string };
}

/**
 * Parses a documented curl command into a request for `fetch`.
 *
 * @param origin replaces the one in the command
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
      // These options concern the output.
      include: { type: 'boolean', short: 'i' },
      'no-buffer': { type: 'boolean', short: 'N' },
    },
  });
  // A kept-alive connection delays the shutdown of Node's HTTP server by five seconds.
  const headers = new Headers({ connection: 'close' });
  for (const each of header) headers.append(...(each.split(': ') as [string, string]));
  const method = request ?? (data === undefined ? 'GET' : 'POST');
  return {
    url: url.replace(/^localhost:\d+/, origin),
    init: { method, headers, ...(data !== undefined && { body: data }) },
  };
}
