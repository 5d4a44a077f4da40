/** The worked example behind a front that plants a bug in its answers until it is mended. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Test } from 'tap';
import { startExample } from '../../compose/example/server.ts';
import { portOf } from '../targets/raw-target.ts';

/** The application; `mend` takes the bug out. */
export type BuggyExample = { readonly url: string; mend(): void };

/** Starts it with a bug: lists lose `totalPages` where they have rows. */
export async function buggyExample(t: Test, apiToken: string): Promise<BuggyExample> {
  const example = await startExample({ port: 0, host: '127.0.0.1', apiToken, log: () => {} });
  let mended = false;
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && name !== 'host' && name !== 'connection' ? [[name, value] as [string, string]] : [],
    );
    const answer = await fetch(example.url + request.url, { method: request.method ?? 'GET', headers });
    const type = answer.headers.get('content-type') ?? 'application/json';
    const text = await answer.text();
    response.writeHead(answer.status, { 'content-type': type });
    response.end(mended ? text : text.replace(/,"totalPages":\d+/, ''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await example.close();
  });
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    mend() {
      mended = true;
    },
  };
}
