/** Hubs and their members, over the API. */
import fc from 'fast-check';
import t from 'tap';
import type { Hub, HubMember } from '../../../src/contract/hubs/hubs-api.ts';
import { type HubAction, hubPermissions, isAllowedInHub } from '../../../src/hub/access/permissions.ts';
import type { hubRoles } from '../../../src/hub/access/principal.ts';
import { assertHubSlug } from '../../../src/hub/hubs/hub-directory.ts';
import { createApiKey } from '../../server/test-browser.ts';
import { startTestServer } from '../../server/test-server.ts';
import {
  createHub,
  createHubPeople,
  createToken,
  type HubPeople,
  putMember,
  readJson,
  readRefusal,
} from '../fixtures/hub-people.ts';

const listSlugs = async (browser: HubPeople['ana']) =>
  (await readJson<{ items: Hub[] }>(browser.ask('GET', '/api/v1/hubs'))).items.map(({ slug }) => slug);

t.test('the creator of a hub owns it, and everybody sees only their own hubs', async (t) => {
  const { ana, max, eve, hub } = await createHubPeople(t);
  t.match(hub, { slug: 'acme', name: 'ACME', role: 'owner', members: 1, connections: 0, created_by: 'Ana' });
  await createHub(eve, 'eve-only');
  t.same([await listSlugs(ana), await listSlugs(max), await listSlugs(eve)], [['acme'], ['acme'], ['eve-only']]);
  t.match(await readJson(max.ask('GET', '/api/v1/hubs/acme')), { role: 'member', members: 3 });
  const [foreignResponse, missingResponse] = [
    await eve.ask('GET', '/api/v1/hubs/acme'),
    await eve.ask('GET', '/api/v1/hubs/nothing'),
  ];
  t.equal(foreignResponse.status, 404);
  const texts = [
    (await foreignResponse.text()).replaceAll('acme', 'X'),
    (await missingResponse.text()).replaceAll('nothing', 'X'),
  ];
  t.equal(texts[0], texts[1], 'an inaccessible hub and an unknown one look alike');
  t.equal(
    await readRefusal(ana.ask('GET', '/api/v1/hubs/eve-only')),
    '404 HUB_UNKNOWN',
    'also for the owner of the control plane',
  );
});

t.test('viewers of the control plane create no hubs, and an API key is limited by its role', async (t) => {
  const { api, ana, vic } = await createHubPeople(t);
  t.equal((await vic.ask('POST', '/api/v1/hubs', { slug: 'vic' })).status, 403);
  const key = await createApiKey(ana, 'viewer');
  t.match(await readJson(api.ask('GET', '/api/v1/hubs/acme', undefined, key)), { role: 'viewer' });
  t.equal(await readRefusal(api.ask('DELETE', '/api/v1/hubs/acme', undefined, key)), '403 HUB_ROLE_INSUFFICIENT');
});

t.test('the owner key of a control plane without accounts is asked to create one', async (t) => {
  const api = await startTestServer(t);
  const refused = await api.ask('POST', '/api/v1/hubs', { slug: 'acme' });
  t.equal(refused.status, 403);
  t.match(await refused.json(), { code: 'HUB_PERSON_NEEDED', cure: /vp setup-link/ });
});

t.test('slugs are lowercase letters, digits and single hyphens, and not reserved', async (t) => {
  const { ana } = await createHubPeople(t);
  for (const slug of [
    'A',
    'a',
    'Acme',
    'a_b',
    '-ab',
    'ab-',
    'a--b',
    'a b',
    'mcp',
    'agent',
    'well-known',
    'é1',
    'x'.repeat(41),
  ]) {
    t.match(await readRefusal(ana.ask('POST', '/api/v1/hubs', { slug })), '422 HUB_SLUG_INVALID', slug);
  }
  for (const slug of ['ab', '42', 'a-1', 'x'.repeat(40)])
    t.equal((await ana.ask('POST', '/api/v1/hubs', { slug })).status, 201, slug);
  t.equal(await readRefusal(ana.ask('POST', '/api/v1/hubs', { slug: 'acme' })), '409 HUB_SLUG_TAKEN');
});

t.test('an accepted slug is unchanged in a path', async () => {
  const isAccepted = (slug: string): boolean => {
    try {
      assertHubSlug(slug);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9-]{1,45}$/)),
      (slug) =>
        !isAccepted(slug) ||
        (new URL(`http://x/hub/${slug}/mcp`).pathname === `/hub/${slug}/mcp` && /^[a-z0-9]/.test(slug)),
    ),
    { numRuns: 1000 },
  );
});

t.test('a renamed hub reserves its old slug, and releases its slugs when it is removed', async (t) => {
  const { ana, eve } = await createHubPeople(t);
  t.match(await readJson(ana.ask('PUT', '/api/v1/hubs/acme', { slug: 'acme-2' })), { slug: 'acme-2', name: 'ACME' });
  t.equal(await readRefusal(ana.ask('GET', '/api/v1/hubs/acme')), '404 HUB_UNKNOWN');
  t.equal(await readRefusal(eve.ask('POST', '/api/v1/hubs', { slug: 'acme' })), '409 HUB_SLUG_TAKEN');
  t.match(await readJson(ana.ask('PUT', '/api/v1/hubs/acme-2', { slug: 'acme', name: 'Acme' })), {
    slug: 'acme',
    name: 'Acme',
  });
  t.equal((await ana.ask('DELETE', '/api/v1/hubs/acme')).status, 204);
  t.equal((await createHub(eve, 'acme')).slug, 'acme');
});

t.test('permissions: owners everything; others see, create tokens and leave', async (t) => {
  const listAllowedActions = (role: (typeof hubRoles)[number]) => {
    const actions = Object.keys(hubPermissions);
    return actions.filter((name) => isAllowedInHub(role, actionNamed(name)));
  };
  const everyoneActions = ['approval.see', 'connection.see', 'hub.see', 'member.leave', 'member.see', 'token.make'];
  t.same(listAllowedActions('owner'), Object.keys(hubPermissions));
  t.same(
    listAllowedActions('member')
      .sort()
      .filter((name) => !/^(audit|policy|tool)\./.test(name)),
    everyoneActions,
  );
  t.same(
    listAllowedActions('viewer')
      .sort()
      .filter((name) => !/^(audit|policy|tool)\./.test(name)),
    everyoneActions,
  );
});

function actionNamed(name: string): HubAction {
  const actions: Record<string, unknown> = hubPermissions;
  const isAction = (text: string): text is HubAction => Object.hasOwn(actions, text);
  if (isAction(name)) return name;
  throw new Error(name);
}

t.test('each route of a hub follows its permissions, and is unknown to others', async (t) => {
  const { ana, max, vic, eve, ids } = await createHubPeople(t);
  const { hub_token: token } = await createToken(ana, 'acme');
  const routes: [HubAction | 'own', string, string, unknown?][] = [
    ['hub.see', 'GET', '/api/v1/hubs/acme'],
    ['member.see', 'GET', '/api/v1/hubs/acme/members'],
    ['connection.see', 'GET', '/api/v1/hubs/acme/connections'],
    ['hub.see', 'GET', '/api/v1/hubs/acme/tokens'],
    ['token.make', 'POST', '/api/v1/hubs/acme/tokens', { name: 'x', expiry: '30 days' }],
    ['connection.manage', 'POST', '/api/v1/hubs/acme/connections', { name: 'NO', kind: 'http', url: 'x' }],
    ['connection.manage', 'PUT', '/api/v1/hubs/acme/connections/none', {}],
    ['connection.manage', 'DELETE', '/api/v1/hubs/acme/connections/none'],
    ['member.manage', 'PUT', '/api/v1/hubs/acme/members/none', { role: 'viewer' }],
    ['member.manage', 'DELETE', `/api/v1/hubs/acme/members/${ids.Eve}`],
    ['hub.rename', 'PUT', '/api/v1/hubs/acme', { name: 'Acme' }],
    ['hub.remove', 'DELETE', '/api/v1/hubs/acme'],
  ];
  const callers = [
    ['viewer', vic],
    ['member', max],
    [undefined, eve],
    ['owner', ana],
  ] as const;
  for (const [role, browser] of callers) {
    for (const [action, method, path, body] of routes) {
      const response = await browser.ask(method, path, body);
      const code = response.status < 300 ? '' : (await response.json()).code;
      const expectedCode = role === undefined ? 'HUB_UNKNOWN' : 'HUB_ROLE_INSUFFICIENT';
      const allowed = role !== undefined && action !== 'own' && isAllowedInHub(role, action);
      t.equal(
        code !== 'HUB_ROLE_INSUFFICIENT' && code !== 'HUB_UNKNOWN',
        allowed,
        `${role} ${method} ${path}: ${code}`,
      );
      if (!allowed) t.equal(code, expectedCode);
    }
    if (role !== 'owner')
      t.equal(
        await readRefusal(browser.ask('DELETE', `/api/v1/hub-tokens/${token.token_id}`)),
        '404 HUB_TOKEN_UNKNOWN',
      );
  }
});

t.test('members are added, changed and removed; the last owner stays', async (t) => {
  const { api, ana, max, eve, ids } = await createHubPeople(t);
  t.match(await readJson(putMember(ana, 'acme', ids.Eve ?? '', 'viewer')), { name: 'Eve', role: 'viewer' });
  const { items } = await readJson<{ items: HubMember[] }>(ana.ask('GET', '/api/v1/hubs/acme/members'));
  t.same(
    items.map(({ name, role }) => [name, role]),
    [
      ['Ana', 'owner'],
      ['Eve', 'viewer'],
      ['Max', 'member'],
      ['Vic', 'viewer'],
    ],
  );
  t.equal(await readRefusal(putMember(ana, 'acme', 'nobody', 'member')), '404 PERSON_UNKNOWN');
  t.equal(await readRefusal(ana.ask('POST', '/api/v1/hubs/acme/leave')), '409 HUB_OWNER_LAST');
  t.equal(await readRefusal(putMember(ana, 'acme', ids.Ana ?? '', 'member')), '409 HUB_OWNER_LAST');
  t.equal(await readRefusal(ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Ana}`)), '409 HUB_OWNER_LAST');
  t.equal((await ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Eve}`)).status, 204);
  t.equal(await readRefusal(eve.ask('GET', '/api/v1/hubs/acme')), '404 HUB_UNKNOWN');
  t.equal(await readRefusal(ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Eve}`)), '404 HUB_MEMBER_UNKNOWN');
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  t.equal((await ana.ask('POST', '/api/v1/hubs/acme/leave')).status, 204);
  t.match(await readJson(max.ask('GET', '/api/v1/hubs/acme')), { role: 'owner', members: 2 });
  t.equal(api.security.filter(({ event }) => event === 'hub_member_left').length, 1);
});

t.test('a person who becomes a member again starts without the tokens of before', async (t) => {
  const { api, ana, max, ids } = await createHubPeople(t);
  const { token } = await createToken(max, 'acme');
  const describeAccess = async () => {
    const decision = await api.hub.authenticator.agent(token, '192.0.2.1');
    return decision.kind === 'in' ? 'in' : decision.code;
  };
  await putMember(ana, 'acme', ids.Max ?? '', 'viewer');
  t.equal(await describeAccess(), 'in', 'a changed role leaves tokens alone');
  await ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`);
  t.equal(await describeAccess(), 'membership_required');
  await putMember(ana, 'acme', ids.Max ?? '', 'member');
  t.equal(await describeAccess(), 'invalid_token');
  t.match(await readJson(max.ask('GET', '/api/v1/hubs/acme/tokens')), { items: [] });
});

t.test('if two owners leave at once, one stays', async (t) => {
  const { ana, max, ids } = await createHubPeople(t);
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  const responses = await Promise.all([ana, max].map((browser) => browser.ask('POST', '/api/v1/hubs/acme/leave')));
  t.same(responses.map(({ status }) => status).sort(), [204, 409]);
});

t.test('the hub of a removed sole owner goes to the owner who removed the account', async (t) => {
  const { api, ana, max, ids } = await createHubPeople(t);
  await createHub(max, 'of-max');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  t.match(await readJson(ana.ask('GET', '/api/v1/hubs/of-max')), { role: 'owner', members: 1 });
  t.match(
    api.security.find(({ event }) => event === 'hub_handed_over'),
    { person: ids.Max, by: ids.Ana },
  );
});

t.test('the hubs of an owner who removes their own account go to another owner', async (t) => {
  const { ana, max, ids } = await createHubPeople(t);
  await ana.ask('PUT', `/api/v1/people/${ids.Max}`, { role: 'owner' });
  await createHub(ana, 'of-ana');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Ana}`)).status, 204);
  t.match(await readJson(max.ask('GET', '/api/v1/hubs/of-ana')), { role: 'owner' });
});

t.test('hubs and members are limited', async (t) => {
  const { ana, ids } = await createHubPeople(t, { hubSettings: { maxHubs: 1, maxMembers: 3 } });
  t.equal(await readRefusal(ana.ask('POST', '/api/v1/hubs', { slug: 'second' })), '409 HUB_LIMIT_REACHED');
  t.equal(await readRefusal(putMember(ana, 'acme', ids.Eve ?? '', 'member')), '409 HUB_LIMIT_REACHED');
  t.equal((await putMember(ana, 'acme', ids.Max ?? '', 'viewer')).status, 200, 'another role is not another member');
});
