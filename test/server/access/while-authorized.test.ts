/** Calls that wait end with the credential that they were made with. */
import t, { type Test } from 'tap';
import type { Identity } from '../../../src/identity/identity.ts';
import { whileAuthorized } from '../../../src/server/access/while-authorized.ts';
import { createScenarioText } from '../../control/report-fixture.ts';
import { eventually } from '../../eventually.ts';
import { createAgentToken, createApiKey, inviteMember, setUpOwner, type TestBrowser } from '../test-browser.ts';
import { createVariantServer, registerInstance, startTestServer, type TestServer } from '../test-server.ts';

async function startWaits(t: Test) {
  const real = await startTestServer(t);
  let waits = 0;
  const onRevoked: Identity['onRevoked'] = (caller, listener) => {
    waits += 1;
    return real.identity.onRevoked(caller, listener);
  };
  const api = createVariantServer(real, { identity: { ...real.identity, onRevoked } });
  await registerInstance(api, 'own');
  const scenarios = [{ text: createScenarioText() }];
  const { runs } = await (await api.ask('POST', '/api/v1/instances/own/runs', { scenarios })).json();
  const path = `/api/v1/runs/${runs[0].run_id}?wait_ms=60000`;
  /** Resolves when the call waits. */
  const startWait = async (ask: (path: string) => Promise<Response>) => {
    const before = waits;
    const response = ask(path);
    await eventually(() => waits > before);
    return { response };
  };
  return { api, startWait };
}

async function assertRefused(t: Test, { response }: { response: Promise<Response> }): Promise<void> {
  t.match(await (await response).json(), { status: 401, code: 'CREDENTIAL_INVALID' });
}

async function findPersonId(browser: TestBrowser, name: string): Promise<string> {
  const { items } = await (await browser.ask('GET', '/api/v1/people')).json();
  return items.find((person: { name: string }) => person.name === name).person_id;
}

const byKey = (api: TestServer, key: string) => (path: string) => api.ask('GET', path, undefined, key);

t.test('a wait for a run ends at once with its session, key or account', async (t) => {
  const { api, startWait } = await startWaits(t);
  const ownerWait = await startWait(byKey(api, api.owner));
  const ana = await setUpOwner(api);
  await assertRefused(t, ownerWait);
  const [max, eve] = [await inviteMember(api, ana, 'Max', 'member'), await inviteMember(api, ana, 'Eve', 'viewer')];
  const key = await createApiKey(ana, 'viewer');
  const [session, account, keyed] = [
    await startWait((path) => max.ask('GET', path)),
    await startWait((path) => eve.ask('GET', path)),
    await startWait(byKey(api, key)),
  ];
  await max.ask('DELETE', '/api/v1/session');
  await assertRefused(t, session);
  await ana.ask('DELETE', `/api/v1/people/${await findPersonId(ana, 'Eve')}`);
  await assertRefused(t, account);
  const { items: keys } = await (await ana.ask('GET', '/api/v1/api-keys')).json();
  await ana.ask('DELETE', `/api/v1/api-keys/${keys[0].key_id}`);
  await assertRefused(t, keyed);
});

t.test('an agent waits no longer than its token is valid, and another one goes on', async (t) => {
  const { api, startWait } = await startWaits(t);
  const tokensPath = '/api/v1/instances/own/agent-tokens';
  const create = async () => (await api.ask('POST', tokensPath, { role: 'test' })).json();
  const [rotated, revoked, other] = [await create(), await create(), await create()];
  const [rotatedWait, revokedWait, otherWait] = [
    await startWait(byKey(api, rotated.token)),
    await startWait(byKey(api, revoked.token)),
    await startWait(byKey(api, other.token)),
  ];
  await api.ask('POST', `${tokensPath}/${rotated.agent_token.agent_token_id}/rotate`);
  await assertRefused(t, rotatedWait);
  await api.ask('DELETE', `${tokensPath}/${revoked.agent_token.agent_token_id}`);
  await assertRefused(t, revokedWait);
  const { items } = await (await api.ask('GET', '/api/v1/runs')).json();
  await api.ask('POST', `/api/v1/runs/${items[0].run_id}/cancel`);
  t.match(await (await otherWait.response).json(), { state: 'cancelled' });
});

t.test('an agent waits no longer than its creator has an account', async (t) => {
  const { api, startWait } = await startWaits(t);
  const ana = await setUpOwner(api);
  const max = await inviteMember(api, ana, 'Max', 'owner');
  const wait = await startWait(byKey(api, await createAgentToken(max, 'own', 'test')));
  await ana.ask('DELETE', `/api/v1/people/${await findPersonId(ana, 'Max')}`);
  await assertRefused(t, wait);
});

t.test('an agent waits no longer than its creator may change its instance', async (t) => {
  const { api, startWait } = await startWaits(t);
  const ana = await setUpOwner(api);
  const max = await inviteMember(api, ana, 'Max', 'owner');
  const [own, ofMax] = [await createAgentToken(ana, 'own', 'test'), await createAgentToken(max, 'own', 'test')];
  const [ownWait, wait] = [await startWait(byKey(api, own)), await startWait(byKey(api, ofMax))];
  const path = `/api/v1/people/${await findPersonId(ana, 'Max')}`;
  await ana.ask('PUT', path, { role: 'member' });
  await assertRefused(t, wait);
  t.equal(await Promise.race([ownWait.response, Promise.resolve('waits')]), 'waits');
  await ana.ask('PUT', path, { role: 'owner' });
  const later = await startWait(byKey(api, ofMax));
  await ana.ask('DELETE', '/api/v1/instances/own');
  await assertRefused(t, later);
  await assertRefused(t, ownWait);
});

t.test('access that ended after the request was authenticated ends its wait', async (t) => {
  const ended = { onRevoked: () => () => {}, isCredentialValid: async () => false };
  let hasStarted = false;
  const work = (signal: AbortSignal) => {
    hasStarted = !signal.aborted;
    return new Promise<never>(() => {});
  };
  const { signal } = new AbortController();
  await t.rejects(whileAuthorized(ended, { kind: 'owner' }, signal, work), { code: 'CREDENTIAL_INVALID' });
  t.notOk(hasStarted);
});

t.test('a rotated agent token is not valid any more, and a new secret is', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'own');
  const path = '/api/v1/instances/own/agent-tokens';
  const { token, agent_token: made } = await (await api.ask('POST', path, { role: 'test' })).json();
  const caller = await api.identity.authenticateBearer(token, '127.0.0.1');
  const rotated = await (await api.ask('POST', `${path}/${made.agent_token_id}/rotate`)).json();
  const renewed = await api.identity.authenticateBearer(rotated.token, '127.0.0.1');
  if (!caller || !renewed) return t.fail('no caller');
  t.notOk(await api.identity.isCredentialValid(caller));
  t.ok(await api.identity.isCredentialValid(renewed));
});
