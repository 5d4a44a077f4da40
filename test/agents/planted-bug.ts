/** The worked example behind a proxy that plants a bug in its responses until it is fixed. */
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startExample } from '../../compose/example/server.ts';
import { getPort } from '../targets/raw-target.ts';

/** The application; `mend` removes the bug, `logFile` receives its log. */
export type BuggyExample = { readonly url: string; readonly logFile: string; mend(): void };

/** Starts it with a bug: lists with rows lack `totalPages`. */
export async function startBuggyExample(t: Test, apiToken: string): Promise<BuggyExample> {
  // Uses its own folder: that of the test is emptied by its next caller.
  const folder = mkdtempSync(join(tmpdir(), 'vp-agents-'));
  const logFile = join(folder, 'app.log');
  const log = (line: string): void => appendFileSync(logFile, `${line}\n`);
  const example = await startExample({ port: 0, host: '127.0.0.1', apiToken, log });
  let mended = false;
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && name !== 'host' && name !== 'connection' ? [[name, value] as [string, string]] : [],
    );
    const responseText = await fetch(example.url + request.url, { method: request.method ?? 'GET', headers });
    const type = responseText.headers.get('content-type') ?? 'application/json';
    const text = await responseText.text();
    response.writeHead(responseText.status, { 'content-type': type });
    response.end(mended ? text : text.replace(/,"totalPages":\d+/, ''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await example.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: `http://127.0.0.1:${getPort(server)}`,
    logFile,
    mend() {
      mended = true;
    },
  };
}
