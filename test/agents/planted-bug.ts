/** The worked example behind a front that plants a bug in its answers until it is mended. */
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startExample } from '../../compose/example/server.ts';
import { portOf } from '../targets/raw-target.ts';

/** The application; `mend` takes the bug out, `logFile` gets its log. */
export type BuggyExample = { readonly url: string; readonly logFile: string; mend(): void };

/** Starts it with a bug: lists lose `totalPages` where they have rows. */
export async function buggyExample(t: Test, apiToken: string): Promise<BuggyExample> {
  // A folder of its own: the test's is emptied by whoever asks for it next.
  const folder = mkdtempSync(join(tmpdir(), 'vp-agents-'));
  const logFile = join(folder, 'app.log');
  const log = (line: string): void => appendFileSync(logFile, `${line}\n`);
  const example = await startExample({ port: 0, host: '127.0.0.1', apiToken, log });
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
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    logFile,
    mend() {
      mended = true;
    },
  };
}
