/** Errors of a registry during a pull. The registry is an HTTP server of the test. */
import { createServer } from 'node:http';
import t, { type Test } from 'tap';
import { openEngine } from '../../src/containers/engine.ts';
import { pullImage } from '../../src/containers/images.ts';
import { getPort } from '../targets/raw-target.ts';

type Refusal = { readonly status: number; readonly code: string; readonly challenge?: string };

/** A registry with that response to every request; engines accept one on this machine without TLS. */
async function refusing(t: Test, { status, code, challenge }: Refusal): Promise<string> {
  const registry = createServer((_, answer) => {
    const headers = { 'content-type': 'application/json', ...(challenge ? { 'www-authenticate': challenge } : {}) };
    answer.writeHead(status, headers).end(JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }));
  });
  await new Promise<void>((ready) => registry.listen(0, '127.0.0.1', ready));
  t.teardown(() => registry.close().closeAllConnections());
  return `127.0.0.1:${getPort(registry)}`;
}

async function pulled(t: Test, refusal: Refusal) {
  const registry = await refusing(t, refusal);
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  const problem = await pullImage(engine, `${registry}/team/vp:v0.4.0-slim`).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { registry, problem };
}

t.test('403: the account may not read the private image', async (t) => {
  const { registry, problem } = await pulled(t, { status: 403, code: 'DENIED' });
  t.match(problem, { code: 'IMAGE_FORBIDDEN', message: `${registry}/team/vp:v0.4.0-slim` });
  t.match(problem, { cure: new RegExp(`docker login ${registry}`) });
});

t.test('401: not signed in', async (t) => {
  const { registry, problem } = await pulled(t, {
    status: 401,
    code: 'UNAUTHORIZED',
    challenge: 'Basic realm="team"',
  });
  t.match(problem, { code: 'IMAGE_FORBIDDEN', cure: new RegExp(`docker login ${registry}`) });
});

t.test('404: unknown image', async (t) => {
  const { problem } = await pulled(t, { status: 404, code: 'MANIFEST_UNKNOWN' });
  t.match(problem, { code: 'IMAGE_UNKNOWN' });
});

t.test('an unreachable registry', async (t) => {
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  await t.rejects(pullImage(engine, '127.0.0.1:1/team/vp:v0.4.0-slim'), {
    code: 'IMAGE_UNREACHABLE',
    message: /connection refused/,
  });
});
