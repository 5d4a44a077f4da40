/** Agents at the API: each may do what its role says, on its own instance, and learns nothing of the others. */
import t, { type Test } from 'tap';
import type { AgentRole } from '../../src/contract/agent-token.ts';
import { isAction, scopeOf } from '../../src/identity/authorization.ts';
import { agentWritesAMinute } from '../../src/server/rate.ts';
import { serverRoutes } from '../../src/server/routes.ts';
import { aReport, aScenario } from '../control/a-report.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { agentToken } from './browser.ts';
import { hello, register, type Served, served } from './served.ts';

const scenario = 'RT-GET-document';

/** An instance with a scenario and an ended run. */
async function filled(api: Served, id: string): Promise<{ run: string }> {
  const { executor_key: key } = await register(api, id);
  await api.ask('PUT', `/api/v1/instances/${id}/scenarios/${scenario}`, { text: aScenario() });
  const executor = await hello(api, key);
  await api.ask('POST', `/api/v1/instances/${id}/runs`, { scenarios: [{ id: scenario }] });
  const lease = await executor.poll();
  await executor.complete(lease, aReport(lease, id));
  return { run: lease.run_id };
}

async function twoInstances(t: Test) {
  const api = await served(t);
  const [own, other] = [await filled(api, 'own'), await filled(api, 'their-app')];
  const token = (role: AgentRole) => agentToken(api, 'own', role);
  return { api, own, other, tokens: { test: await token('test'), product: await token('product') } };
}

/** What a route is called with; `undefined` needs none. */
function bodyOf(operation: string): object | undefined {
  if (operation === 'requestRuns') return { scenarios: [{ id: scenario }] };
  return operation === 'writeScenario' ? { text: aScenario() } : undefined;
}

function urlOf(path: string, instance: string, run: string): string {
  return path.replace('{instance}', instance).replace('{run}', run).replace('{scenario}', scenario);
}

/** Status and words, without the names that the caller sent itself. */
async function told(answer: Response, ...names: string[]): Promise<string> {
  const text = `${answer.status} ${await answer.text()}`;
  return names.reduce((words, name) => words.replaceAll(name, 'NAME'), text);
}

t.test(
  'an agent gets nothing of another instance, on any route, and does not learn whether there is one',
  async (t) => {
    const { api, other, tokens } = await twoInstances(t);
    const noRun = '20200101T000000000';
    for (const role of ['test', 'product'] as const) {
      const caller = { kind: 'agent', instance: 'own', role, tokenId: 'x', person: 'x' } as const;
      const allowed = serverRoutes.filter(({ action }) => isAction(action) && scopeOf(caller, action) !== undefined);
      for (const { method, path, operation } of allowed.filter(({ narrows }) => !narrows)) {
        const ask = async (instance: string, run: string) =>
          api.ask(method, urlOf(path, instance, run), bodyOf(operation), tokens[role]);
        const existing = await ask('their-app', other.run);
        t.ok([403, 404].includes(existing.status), `${role}: ${method} ${path}: ${existing.status}`);
        const absent = await told(await ask('nothing', noRun), 'nothing', noRun);
        t.equal(await told(existing, 'their-app', other.run), absent, `${role}: ${method} ${path}`);
      }
    }
    const runs = await api.control.runs.list({ instance: 'their-app' }, { limit: 10 });
    t.match(runs.items, [{ state: 'passed' }], 'and nothing was done to it');
    t.equal((await api.control.catalogue.list('their-app', { limit: 10 })).items.length, 1);
  },
);

t.test('lists are narrowed to the agent’s instance, and none of another can be asked for', async (t) => {
  const { api, own, tokens } = await twoInstances(t);
  for (const token of Object.values(tokens)) {
    const get = async (path: string) => api.ask('GET', path, undefined, token);
    t.match((await (await get('/api/v1/instances')).json()).items, [{ instance_id: 'own' }]);
    for (const query of ['', '?instance=own', '?limit=1', '?state=passed&state=failed'])
      t.strictSame(
        (await (await get(`/api/v1/runs${query}`)).json()).items.map(({ run_id }: { run_id: string }) => run_id),
        [own.run],
      );
    const words = await told(await get('/api/v1/runs?instance=their-app'), 'their-app');
    t.match(words, /^403 .*AGENT_INSTANCE_FOREIGN/);
    t.equal(words, await told(await get('/api/v1/runs?instance=nothing'), 'nothing'));
  }
});

t.test('a test agent works on its instance, and what it does bears its name', async (t) => {
  const api = await served(t);
  await register(api, 'own');
  const token = await agentToken(api, 'own', 'test');
  const base = '/api/v1/instances/own';
  const name = 'test agent of own (owner)';
  const written = await api.ask('PUT', `${base}/scenarios/${scenario}`, { text: aScenario() }, token);
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

t.test('a product agent reads what runs told, and neither writes nor starts anything', async (t) => {
  const { api, own, tokens } = await twoInstances(t);
  const ask = (method: string, path: string, body?: object) => api.ask(method, path, body, tokens.product);
  for (const path of ['instances/own', 'instances/own/runs', `runs/${own.run}`, `runs/${own.run}/report?format=text`])
    t.equal((await ask('GET', `/api/v1/${path}`)).status, 200, path);
  for (const [method, path, body] of [
    ['GET', '/api/v1/instances/own/scenarios'],
    ['PUT', `/api/v1/instances/own/scenarios/${scenario}`, { text: aScenario() }],
    ['POST', '/api/v1/instances/own/runs', { scenarios: [{ id: scenario }] }],
    ['POST', `/api/v1/runs/${own.run}/cancel`],
    ['GET', '/api/v1/events?instance=own'],
    ['POST', '/api/v1/instances/own/agent-tokens', { role: 'test' }],
    ['DELETE', '/api/v1/instances/own'],
  ] as const)
    t.match(await (await ask(method, path, body)).json(), { code: 'CREDENTIAL_INSUFFICIENT' }, `${method} ${path}`);
});

t.test('an agent that goes in circles is told when to go on, and may read meanwhile', async (t) => {
  const clock = fakeClock();
  const api = await served(t, { clock });
  await register(api, 'own');
  const [token, second] = [await agentToken(api, 'own', 'test'), await agentToken(api, 'own', 'test')];
  const write = (key: string) => api.ask('DELETE', `/api/v1/instances/own/scenarios/${scenario}`, undefined, key);
  for (let count = 0; count < agentWritesAMinute; count += 1) t.equal((await write(token)).status, 404);
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
