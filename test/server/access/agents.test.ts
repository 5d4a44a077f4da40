/** Agents at the API: each acts by its role on its own instance, and learns nothing about others. */
import t, { type Test } from 'tap';
import type { AgentRole } from '../../../src/contract/agents/agent-token.ts';
import { getOwnershipScope, isAction } from '../../../src/identity/authorization.ts';
import { maxAgentWritesPerMinute } from '../../../src/server/access/call-limiters.ts';
import { serverRoutes } from '../../../src/server/route-table.ts';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createAgentToken } from '../test-browser.ts';
import { registerInstance, startHttpExecutor, startTestServer, type TestServer } from '../test-server.ts';

const scenario = 'RT-GET-document';

/** An instance with a scenario and an ended run. */
async function filled(api: TestServer, id: string): Promise<{ run: string }> {
  const { executor_key: key } = await registerInstance(api, id);
  await api.ask('PUT', `/api/v1/instances/${id}/scenarios/${scenario}`, { text: createScenarioText() });
  const executor = await startHttpExecutor(api, key);
  await api.ask('POST', `/api/v1/instances/${id}/runs`, { scenarios: [{ id: scenario }] });
  const lease = await executor.poll();
  await executor.complete(lease, createTestReport(lease, id));
  return { run: lease.run_id };
}

async function twoInstances(t: Test) {
  const api = await startTestServer(t);
  const [own, other] = [await filled(api, 'own'), await filled(api, 'their-app')];
  const token = (role: AgentRole) => createAgentToken(api, 'own', role);
  return { api, own, other, tokens: { test: await token('test'), product: await token('product') } };
}

/** The body for a route; undefined without one. */
function createBody(operation: string): object | undefined {
  if (operation === 'requestRuns') return { scenarios: [{ id: scenario }] };
  return operation === 'writeScenario' ? { text: createScenarioText() } : undefined;
}

function buildUrl(path: string, instance: string, run: string): string {
  return path.replace('{instance}', instance).replace('{run}', run).replace('{scenario}', scenario);
}

/** Status and words, without the names that the caller sent itself. */
async function describeResponse(answer: Response, ...names: string[]): Promise<string> {
  const text = `${answer.status} ${await answer.text()}`;
  return names.reduce((maskedText, name) => maskedText.replaceAll(name, 'NAME'), text);
}

t.test(
  'an agent gets nothing of another instance, on any route, and does not learn whether there is one',
  async (t) => {
    const { api, other, tokens } = await twoInstances(t);
    const noRun = '20200101T000000000';
    for (const role of ['test', 'product'] as const) {
      const caller = {
        kind: 'agent',
        instance: 'own',
        role,
        tokenId: 'x',
        tokenHash: 'x',
        personId: null,
        person: 'x',
      } as const;
      const allowed = serverRoutes.filter(
        ({ action }) => isAction(action) && getOwnershipScope(caller, action) !== undefined,
      );
      for (const { method, path, operation } of allowed.filter(({ filtersByCaller }) => !filtersByCaller)) {
        const ask = async (instance: string, run: string) =>
          api.ask(method, buildUrl(path, instance, run), createBody(operation), tokens[role]);
        const existing = await ask('their-app', other.run);
        t.ok([403, 404].includes(existing.status), `${role}: ${method} ${path}: ${existing.status}`);
        const absent = await describeResponse(await ask('nothing', noRun), 'nothing', noRun);
        t.equal(await describeResponse(existing, 'their-app', other.run), absent, `${role}: ${method} ${path}`);
      }
    }
    const runs = await api.control.runs.list({ instance: 'their-app' }, { limit: 10 });
    t.match(runs.items, [{ state: 'passed' }], 'and nothing was done to it');
    t.equal((await api.control.catalogue.list('their-app', { limit: 10 })).items.length, 1);
  },
);

t.test('lists are limited to the agent’s instance, and those of others are refused', async (t) => {
  const { api, own, tokens } = await twoInstances(t);
  for (const token of Object.values(tokens)) {
    const get = async (path: string) => api.ask('GET', path, undefined, token);
    t.match((await (await get('/api/v1/instances')).json()).items, [{ instance_id: 'own' }]);
    for (const query of ['', '?instance=own', '?limit=1', '?state=passed&state=failed', '?text=rt', '?path=/api'])
      t.strictSame(
        (await (await get(`/api/v1/runs${query}`)).json()).items.map(({ run_id }: { run_id: string }) => run_id),
        [own.run],
      );
    const maskedText = await describeResponse(await get('/api/v1/runs?instance=their-app'), 'their-app');
    t.match(maskedText, /^403 .*AGENT_INSTANCE_FOREIGN/);
    t.equal(maskedText, await describeResponse(await get('/api/v1/runs?instance=nothing'), 'nothing'));
  }
});

t.test('a test agent works on its instance, and its changes are recorded under its name', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'own');
  const token = await createAgentToken(api, 'own', 'test');
  const base = '/api/v1/instances/own';
  const name = 'test agent of own (owner)';
  const written = await api.ask('PUT', `${base}/scenarios/${scenario}`, { text: createScenarioText() }, token);
  t.match(await written.json(), { updated_by: name });
  const key = { 'idempotency-key': 'k' };
  const request = () => api.ask('POST', `${base}/runs`, { scenarios: [{ id: scenario }], prove: true }, token, key);
  const { runs } = await (await request()).json();
  t.match(runs, [{ requested_by: name, state: 'queued' }]);
  t.match((await (await request()).json()).runs, [{ run_id: runs[0].run_id }]);
  const cancelled = await api.ask('POST', `/api/v1/runs/${runs[0].run_id}/cancel`, undefined, token);
  t.match(await cancelled.json(), { state: 'cancelled' });
  for (const path of ['', '/statistics', '/runs', '/scenarios', `/scenarios/${scenario}/revisions`])
    t.equal((await api.ask('GET', `${base}${path}`, undefined, token)).status, 200, path);
});

t.test('a product agent reads results, and neither writes nor starts anything', async (t) => {
  const { api, own, tokens } = await twoInstances(t);
  const ask = (method: string, path: string, body?: object) => api.ask(method, path, body, tokens.product);
  for (const path of ['instances/own', 'instances/own/runs', `runs/${own.run}`, `runs/${own.run}/report?format=text`])
    t.equal((await ask('GET', `/api/v1/${path}`)).status, 200, path);
  for (const [method, path, body] of [
    ['GET', '/api/v1/instances/own/scenarios'],
    ['PUT', `/api/v1/instances/own/scenarios/${scenario}`, { text: createScenarioText() }],
    ['POST', '/api/v1/instances/own/runs', { scenarios: [{ id: scenario }] }],
    ['POST', `/api/v1/runs/${own.run}/cancel`],
    ['GET', '/api/v1/events?instance=own'],
    ['POST', '/api/v1/instances/own/agent-tokens', { role: 'test' }],
    ['DELETE', '/api/v1/instances/own'],
  ] as const)
    t.match(await (await ask(method, path, body)).json(), { code: 'CREDENTIAL_INSUFFICIENT' }, `${method} ${path}`);
});

t.test('an agent in a loop is rate-limited, and may still read', async (t) => {
  const clock = fakeClock();
  const api = await startTestServer(t, { clock });
  await registerInstance(api, 'own');
  const [token, second] = [await createAgentToken(api, 'own', 'test'), await createAgentToken(api, 'own', 'test')];
  const write = (key: string) => api.ask('DELETE', `/api/v1/instances/own/scenarios/${scenario}`, undefined, key);
  for (let count = 0; count < maxAgentWritesPerMinute; count += 1) t.equal((await write(token)).status, 404);
  clock.advance(45_000);
  const limited = await write(token);
  t.equal(limited.status, 429);
  t.equal(limited.headers.get('retry-after'), '15');
  t.match(await limited.json(), { code: 'RATE_LIMITED' });
  t.match(
    api.security.filter(({ event }) => event === 'agent_limited'),
    [{ level: 'warn' }],
  );
  t.equal((await api.ask('GET', '/api/v1/instances/own', undefined, token)).status, 200);
  t.equal((await write(second)).status, 404, 'another token is another agent');
  clock.advance(15_000);
  t.equal((await write(token)).status, 404);
});
