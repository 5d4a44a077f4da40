/** The policy of a hub holds for prompts, resources, templates, completions and subscriptions, not only for tools. */
import type { Client } from '@modelcontextprotocol/client';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import type { TestBrowser } from '../../server/test-browser.ts';
import { createToken, putMember } from '../fixtures/hub-people.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const path = '/api/v1/hubs/acme';
const note = 'hub.good+note://one';

/** What each kind of access answers: the number of listed items, or `refused`. */
async function readAccess(client: Client): Promise<Record<string, unknown>> {
  const isRefused = (promise: Promise<unknown>) =>
    promise.then(
      () => 'answered',
      (error: Error) => (/Not allowed|unknown|Unknown|not found/.test(error.message) ? 'refused' : error.message),
    );
  return {
    prompts: (await client.listPrompts(undefined, { cacheMode: 'bypass' })).prompts.length,
    resources: (await client.listResources(undefined, { cacheMode: 'bypass' })).resources.length,
    templates: (await client.listResourceTemplates(undefined, { cacheMode: 'bypass' })).resourceTemplates.length,
    prompt: await isRefused(client.getPrompt({ name: 'good__greet', arguments: { whom: 'you' } })),
    read: await isRefused(client.readResource({ uri: note })),
    unlisted: await isRefused(client.readResource({ uri: 'hub.good+file:///etc/passwd' })),
    complete: await isRefused(
      client.complete({ ref: { type: 'ref/prompt', name: 'good__greet' }, argument: { name: 'whom', value: 'y' } }),
    ),
  };
}

for (const [era, clientOptions] of [
  ['newest', modernClient],
  ['older', {}],
] as const)
  t.test(`a role sees and uses only what its rules allow, with a client of the ${era} era`, async (t) => {
    const hub = await startTestHub(t);
    const upstream = await startTestServer(t, createReferenceServer(era).handle);
    await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
    const { token } = await createToken(hub.max, 'acme');
    const client = await hub.client(token, clientOptions);
    const setPolicy = async (revision: number, document: object) =>
      t.equal((await hub.ana.ask('PUT', `${path}/policy`, { document, if_revision: revision })).status, 200);
    const all = { prompts: 1, resources: 1, templates: 1, prompt: 'answered', read: 'answered', complete: 'answered' };
    const none = { prompts: 0, resources: 0, templates: 0, prompt: 'refused', read: 'refused', complete: 'refused' };
    t.match(await readAccess(client), { ...all, unlisted: 'refused' });
    await setPolicy(0, { roles: { member: { allow: [] } } });
    t.match(await readAccess(client), { ...none, unlisted: 'refused' });
    await setPolicy(1, { roles: { member: { deny: ['good__note://*'] } } });
    t.match(await readAccess(client), { ...all, resources: 0, templates: 0, read: 'refused', unlisted: 'refused' });
    await setPolicy(2, { roles: { member: { allow: ['good__*'] } }, resources: 'any' });
    t.match(await readAccess(client), { ...all, unlisted: 'answered' });
    await setPolicy(3, { roles: { member: { read_only: true } } });
    t.match(await readAccess(client), { ...all, unlisted: 'refused' });
    const { items } = await hub.gateway.audit.search(hub.hub.hub_id, { limit: 50 });
    const denied = items.filter(({ method, outcome }) => method === 'resources/read' && outcome === 'denied');
    t.ok(denied.length >= 4, 'refusals are in the audit');
  });

t.test('a URI of more than 8,192 characters is never compared with rules and templates', async (t) => {
  const hub = await startTestHub(t);
  const upstream = await startTestServer(t, createReferenceServer('newest').handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const client = await hub.client((await createToken(hub.max, 'acme')).token, modernClient);
  const createUri = (length: number): string => 'hub.good+note://'.padEnd(length, 'a');
  await t.resolves(client.readResource({ uri: createUri(8192) }));
  for (const length of [8193, 3_000_000]) {
    const uri = createUri(length);
    await t.rejects(client.readResource({ uri }), /has nothing named/);
    const ref = { type: 'ref/resource', uri } as const;
    await t.rejects(client.complete({ ref, argument: { name: 'name', value: 'a' } }), /has nothing named/);
  }
});

t.test('rules for arguments hold for prompts and their completions', async (t) => {
  const hub = await startTestHub(t);
  const reference = createReferenceServer('newest');
  const upstream = await startTestServer(t, reference.handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const { token } = await createToken(hub.max, 'acme');
  const client = await hub.client(token, modernClient);
  const schema = { properties: { whom: { enum: ['you'] } } };
  const document = {
    arguments: [{ tools: 'good__greet', schema, message: 'only you' }],
    bounds: { argument_bytes: 200 },
  };
  const body = { document, if_revision: 0, accept_unknown_tools: true };
  t.equal((await hub.ana.ask('PUT', `${path}/policy`, body)).status, 200);
  const get = (whom: string) => client.getPrompt({ name: 'good__greet', arguments: { whom } });
  const complete = (value: string, name = 'whom', more = {}) =>
    client.complete({ ref: { type: 'ref/prompt', name: 'good__greet' }, argument: { name, value }, ...more });
  await get('you');
  await complete('you');
  await complete('x', 'other');
  const refused = /Not allowed: only you: \/whom must be equal to one of the allowed values/;
  await t.rejects(get('me'), { message: refused });
  await t.rejects(complete('m'), { message: refused });
  await t.rejects(complete('x', 'other', { context: { arguments: { whom: 'me' } } }), { message: refused });
  await t.rejects(get('y'.repeat(300)), { message: /larger than 200 bytes/ });
  const longUri = `hub.good+note://${'o'.repeat(300)}`;
  await t.rejects(client.readResource({ uri: longUri }), { message: /larger than 200 bytes|neither lists/ });
});

t.test('a resource that the rules do not allow cannot be watched', async (t) => {
  const hub = await startTestHub(t);
  const upstream = await startTestServer(t, createReferenceServer('older').handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const { token } = await createToken(hub.max, 'acme');
  const client = await hub.client(token, {});
  await client.subscribeResource({ uri: note });
  await t.rejects(client.subscribeResource({ uri: 'hub.good+file:///etc/passwd' }));
  await hub.ana.ask('PUT', `${path}/policy`, { document: { roles: { member: { allow: [] } } }, if_revision: 0 });
  await t.rejects(client.subscribeResource({ uri: 'hub.good+note://two' }));
});

for (const era of ['newest', 'older'] as const)
  t.test(
    `a watched resource that the policy denies later is watched no more, at a server of the ${era} era`,
    async (t) => {
      const hub = await startTestHub(t);
      const reference = createReferenceServer(era);
      const upstream = await startTestServer(t, reference.handle);
      await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
      const received: string[] = [];
      const watch = async (name: string, person: TestBrowser, options: object) => {
        const client = await hub.client((await createToken(person, 'acme')).token, options);
        client.setNotificationHandler('notifications/resources/updated', () => void received.push(name));
        if (options === modernClient) await client.listen({ resourceSubscriptions: [note] });
        else await client.subscribeResource({ uri: note });
      };
      await watch('owner', hub.ana, {});
      await watch('older', hub.max, {});
      await watch('newest', hub.max, modernClient);
      reference.resourceUpdated('note://one');
      t.ok(await eventually(() => ['owner', 'older', 'newest'].every((name) => received.includes(name))));
      const document = { roles: { member: { deny: ['good__note://*'] } } };
      t.equal((await hub.ana.ask('PUT', `${path}/policy`, { document, if_revision: 0 })).status, 200);
      // The watches are decided in the turns after the answer, and updates of one resource are merged for a while.
      await eventually(async () => {
        received.length = 0;
        reference.resourceUpdated('note://one');
        return (await eventually(() => received.includes('owner'))) && received.every((name) => name === 'owner');
      });
      t.strictSame(new Set(received), new Set(['owner']));
    },
  );

t.test('of a subscription, only what the policy allows is acknowledged and updated', async (t) => {
  const hub = await startTestHub(t);
  const reference = createReferenceServer('newest');
  const upstream = await startTestServer(t, reference.handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const document = { roles: { viewer: { deny: ['good__note://one'] } }, resources: 'any' };
  t.equal((await hub.ana.ask('PUT', `${path}/policy`, { document, if_revision: 0 })).status, 200);
  const other = 'hub.good+note://two';
  const received = { owner: new Set<string>(), viewer: new Set<string>() };
  const watch = async (name: keyof typeof received, person: TestBrowser) => {
    const client = await hub.client((await createToken(person, 'acme')).token, modernClient);
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void received[name].add(params.uri),
    );
    return client.listen({ resourceSubscriptions: [note, other] });
  };
  await watch('owner', hub.ana);
  const subscription = await watch('viewer', hub.vic);
  t.strictSame(subscription.honoredFilter.resourceSubscriptions, [other]);
  t.ok(
    await eventually(() => {
      for (const uri of ['note://one', 'note://two']) reference.resourceUpdated(uri);
      return received.owner.size === 2 && received.viewer.size > 0;
    }),
  );
  t.strictSame([...received.viewer], [other], 'not what the owner watches');
});

t.test('a watched resource that a new role may not read is watched no more, and neither by who left', async (t) => {
  const hub = await startTestHub(t);
  const reference = createReferenceServer('newest');
  const upstream = await startTestServer(t, reference.handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const document = { roles: { viewer: { deny: ['good__note://*'] } } };
  t.equal((await hub.ana.ask('PUT', `${path}/policy`, { document, if_revision: 0 })).status, 200);
  await putMember(hub.ana, 'acme', hub.ids.Vic ?? '', 'member');
  const received = new Set<string>();
  const watch = async (name: string, person: TestBrowser, options: object) => {
    const client = await hub.client((await createToken(person, 'acme')).token, options);
    client.setNotificationHandler('notifications/resources/updated', () => void received.add(name));
    if (options === modernClient) await client.listen({ resourceSubscriptions: [note] });
    else await client.subscribeResource({ uri: note });
  };
  await watch('owner', hub.ana, {});
  await watch('Max, older', hub.max, {});
  await watch('Max, newest', hub.max, modernClient);
  await watch('Vic', hub.vic, modernClient);
  reference.resourceUpdated('note://one');
  t.ok(await eventually(() => received.size === 4));
  t.equal((await putMember(hub.ana, 'acme', hub.ids.Max ?? '', 'viewer')).status, 200);
  t.equal((await hub.ana.ask('DELETE', `${path}/members/${hub.ids.Vic}`)).status, 204);
  await eventually(async () => {
    received.clear();
    reference.resourceUpdated('note://one');
    return (await eventually(() => received.has('owner'))) && received.size === 1;
  });
  t.strictSame([...received], ['owner']);
});
