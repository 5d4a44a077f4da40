import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { Test } from 'tap';
import { getPort } from '../../targets/raw-target.ts';
import { createRunRequest } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

/** A server of HTTP/2 that responds to each stream in its own way. Returns what runs the text of a scenario against it. */
export async function startHttp2Target(t: Test, respond: (stream: ServerHttp2Stream, path: string) => void) {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    respond(stream, String(headers[':path']));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${getPort(server)}`;
  const runner = createTestRunner(t, { origin, close: () => server.close() });
  return (text: string) => runner.execute(createRunRequest(text));
}
