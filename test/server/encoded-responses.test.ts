/** A real control plane over HTTP: what it encodes for a browser, what it does not, and what a browser may keep. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import t from 'tap';
import { readStoredCredential } from '../../src/commands/control-plane/credentials.ts';
import { startTestControlPlane } from '../commands/test-control-plane.ts';
import { createWorkspace, scenarioText } from '../commands/test-workspace.ts';

const accepting = { 'accept-encoding': 'gzip, deflate, br' };

/** The response as it was sent: fetch would decode it. */
async function send(url: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<IncomingMessage> {
  const outgoing = request(url, { method, headers });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function readBytes(response: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await response.toArray());
}

t.test('documentation, API answers and the console are encoded; streams and credentials are not', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const { url, control, registerInstance } = await startTestControlPlane(t, workspace);
  await registerInstance('shop');
  const entry = { text: scenarioText('RT-a') };
  await control.runs.request('shop', { scenarios: Array.from({ length: 60 }, () => entry) }, { name: 'owner' });
  const authorization = `Bearer ${readStoredCredential(workspace.paths, url)?.token}`;

  for (const path of ['/docs', '/docs/assets/style.css', '/api/v1/runs', '/api/openapi.json']) {
    const response = await send(`${url}${path}`, { ...accepting, authorization });
    t.equal(response.statusCode, 200, path);
    t.equal(response.headers['content-encoding'], 'br', path);
    t.match(response.headers.vary, 'Accept-Encoding', path);
    const bytes = await readBytes(response);
    const plain = await readBytes(await send(`${url}${path}`, { authorization }));
    t.ok(brotliDecompressSync(bytes).equals(plain), `${path}: the same content`);
    t.ok(bytes.length < plain.length / 2, `${path}: ${plain.length} bytes became ${bytes.length}`);
    const tag = response.headers.etag;
    t.equal(tag === undefined, path === '/api/v1/runs', `${path}: data of users is not stored`);
    if (tag === undefined) continue;
    const again = await send(`${url}${path}`, { ...accepting, authorization, 'if-none-match': tag });
    t.equal(again.statusCode, 304, path);
    t.equal((await readBytes(again)).length, 0, path);
  }

  const events = await send(`${url}/api/v1/events`, { ...accepting, authorization });
  t.match(events.headers['content-type'], 'text/event-stream');
  t.equal(events.headers['content-encoding'], undefined);
  events.destroy();

  const json = { 'content-type': 'application/json' };
  const input = JSON.stringify({ instance_id: 'other' });
  const created = await send(`${url}/api/v1/instances`, { ...accepting, ...json, authorization }, 'POST', input);
  t.match((await readBytes(created)).toString(), 'executor_key', 'it has a credential');
  t.equal(created.headers['content-encoding'], undefined);
});
