/** Hubs and who belongs to them, over the API. */
import fc from 'fast-check';
import t from 'tap';
import type { Hub, HubMember } from '../../src/contract/hub-api.ts';
import { type HubAction, hubAuthorization, mayInHub } from '../../src/hub/hubs-authorization.ts';
import { demandSlug } from '../../src/hub/hubs-slug.ts';
import type { hubRoles } from '../../src/hub/words.ts';
import { apiKey } from '../server/browser.ts';
import { served } from '../server/served.ts';
import { type HubPeople, hubPeople, json, makeHub, makeToken, putMember, refusalOf } from './hub-people.ts';

const slugsOf = async (one: HubPeople['ana']) =>
  (await json<{ items: Hub[] }>(one.ask('GET', '/api/v1/hubs'))).items.map(({ slug }) => slug);

t.test('whoever makes a hub owns it, and everybody sees only the hubs that they belong to', async (t) => {
  const { ana, max, eve, hub } = await hubPeople(t);
  t.match(hub, { slug: 'acme', name: 'ACME', role: 'owner', members: 1, connections: 0, created_by: 'Ana' });
  await makeHub(eve, 'eve-only');
  t.same([await slugsOf(ana), await slugsOf(max), await slugsOf(eve)], [['acme'], ['acme'], ['eve-only']]);
  t.match(await json(max.ask('GET', '/api/v1/hubs/acme')), { role: 'member', members: 3 });
  const [foreign, none] = [await eve.ask('GET', '/api/v1/hubs/acme'), await eve.ask('GET', '/api/v1/hubs/nothing')];
  t.equal(foreign.status, 404);
  const texts = [(await foreign.text()).replaceAll('acme', 'X'), (await none.text()).replaceAll('nothing', 'X')];
  t.equal(texts[0], texts[1], 'a hub that is not theirs and one that is not there look alike');
  t.equal(await refusalOf(ana.ask('GET', '/api/v1/hubs/eve-only')), '404 HUB_UNKNOWN', 'also to the owner of it all');
});

t.test('viewers of the control plane make no hubs, and an API key goes no further than its role', async (t) => {
  const { api, ana, vic } = await hubPeople(t);
  t.equal((await vic.ask('POST', '/api/v1/hubs', { slug: 'vic' })).status, 403);
  const key = await apiKey(ana, 'viewer');
  t.match(await json(api.ask('GET', '/api/v1/hubs/acme', undefined, key)), { role: 'viewer' });
  t.equal(await refusalOf(api.ask('DELETE', '/api/v1/hubs/acme', undefined, key)), '403 HUB_ROLE_INSUFFICIENT');
});

t.test('the owner key of a control plane without accounts is told to make one', async (t) => {
  const api = await served(t);
  const refused = await api.ask('POST', '/api/v1/hubs', { slug: 'acme' });
  t.equal(refused.status, 403);
  t.match(await refused.json(), { code: 'HUB_PERSON_NEEDED', cure: /vp setup-link/ });
});

t.test('slugs are lowercase letters, digits and single hyphens, and no reserved word', async (t) => {
  const { ana } = await hubPeople(t);
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
    t.match(await refusalOf(ana.ask('POST', '/api/v1/hubs', { slug })), '422 HUB_SLUG_INVALID', slug);
  }
  for (const slug of ['ab', '42', 'a-1', 'x'.repeat(40)])
    t.equal((await ana.ask('POST', '/api/v1/hubs', { slug })).status, 201, slug);
  t.equal(await refusalOf(ana.ask('POST', '/api/v1/hubs', { slug: 'acme' })), '409 HUB_SLUG_TAKEN');
});

t.test('a slug that is accepted stands in a path as it is', async () => {
  const accepted = (slug: string): boolean => {
    try {
      demandSlug(slug);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9-]{1,45}$/)),
      (slug) =>
        !accepted(slug) ||
        (new URL(`http://x/hub/${slug}/mcp`).pathname === `/hub/${slug}/mcp` && /^[a-z0-9]/.test(slug)),
    ),
    { numRuns: 1000 },
  );
});

t.test('a renamed hub keeps its old slug from others, and gives its slugs back when it is removed', async (t) => {
  const { ana, eve } = await hubPeople(t);
  t.match(await json(ana.ask('PUT', '/api/v1/hubs/acme', { slug: 'acme-2' })), { slug: 'acme-2', name: 'ACME' });
  t.equal(await refusalOf(ana.ask('GET', '/api/v1/hubs/acme')), '404 HUB_UNKNOWN');
  t.equal(await refusalOf(eve.ask('POST', '/api/v1/hubs', { slug: 'acme' })), '409 HUB_SLUG_TAKEN');
  t.match(await json(ana.ask('PUT', '/api/v1/hubs/acme-2', { slug: 'acme', name: 'Acme' })), {
    slug: 'acme',
    name: 'Acme',
  });
  t.equal((await ana.ask('DELETE', '/api/v1/hubs/acme')).status, 204);
  t.equal((await makeHub(eve, 'acme')).slug, 'acme');
});

t.test('the table of roles: owners everything, others see, make tokens and leave', async (t) => {
  const may = (role: (typeof hubRoles)[number]) => {
    const actions = Object.keys(hubAuthorization);
    return actions.filter((name) => mayInHub(role, actionNamed(name)));
  };
  const others = ['connection.see', 'hub.see', 'member.leave', 'member.see', 'token.make'];
  t.same(may('owner'), Object.keys(hubAuthorization));
  t.same(
    may('member')
      .sort()
      .filter((name) => !/^(audit|policy|tool)\./.test(name)),
    others,
  );
  t.same(
    may('viewer')
      .sort()
      .filter((name) => !/^(audit|policy|tool)\./.test(name)),
    others,
  );
});

function actionNamed(name: string): HubAction {
  const actions: Record<string, unknown> = hubAuthorization;
  const isAction = (text: string): text is HubAction => Object.hasOwn(actions, text);
  if (isAction(name)) return name;
  throw new Error(name);
}

t.test('each route of a hub answers the roles of its row, and is not there for anybody else', async (t) => {
  const { ana, max, vic, eve, ids } = await hubPeople(t);
  const { hub_token: token } = await makeToken(ana, 'acme');
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
  for (const [role, one] of callers) {
    for (const [action, method, path, body] of routes) {
      const answer = await one.ask(method, path, body);
      const code = answer.status < 300 ? '' : (await answer.json()).code;
      const meant = role === undefined ? 'HUB_UNKNOWN' : 'HUB_ROLE_INSUFFICIENT';
      const allowed = role !== undefined && action !== 'own' && mayInHub(role, action);
      t.equal(
        code !== 'HUB_ROLE_INSUFFICIENT' && code !== 'HUB_UNKNOWN',
        allowed,
        `${role} ${method} ${path}: ${code}`,
      );
      if (!allowed) t.equal(code, meant);
    }
    if (role !== 'owner')
      t.equal(await refusalOf(one.ask('DELETE', `/api/v1/hub-tokens/${token.token_id}`)), '404 HUB_TOKEN_UNKNOWN');
  }
});

t.test('members are added, changed and removed; the last owner stays', async (t) => {
  const { api, ana, max, eve, ids } = await hubPeople(t);
  t.match(await json(putMember(ana, 'acme', ids.Eve ?? '', 'viewer')), { name: 'Eve', role: 'viewer' });
  const { items } = await json<{ items: HubMember[] }>(ana.ask('GET', '/api/v1/hubs/acme/members'));
  t.same(
    items.map(({ name, role }) => [name, role]),
    [
      ['Ana', 'owner'],
      ['Eve', 'viewer'],
      ['Max', 'member'],
      ['Vic', 'viewer'],
    ],
  );
  t.equal(await refusalOf(putMember(ana, 'acme', 'nobody', 'member')), '404 PERSON_UNKNOWN');
  t.equal(await refusalOf(ana.ask('POST', '/api/v1/hubs/acme/leave')), '409 HUB_OWNER_LAST');
  t.equal(await refusalOf(putMember(ana, 'acme', ids.Ana ?? '', 'member')), '409 HUB_OWNER_LAST');
  t.equal(await refusalOf(ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Ana}`)), '409 HUB_OWNER_LAST');
  t.equal((await ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Eve}`)).status, 204);
  t.equal(await refusalOf(eve.ask('GET', '/api/v1/hubs/acme')), '404 HUB_UNKNOWN');
  t.equal(await refusalOf(ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Eve}`)), '404 HUB_MEMBER_UNKNOWN');
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  t.equal((await ana.ask('POST', '/api/v1/hubs/acme/leave')).status, 204);
  t.match(await json(max.ask('GET', '/api/v1/hubs/acme')), { role: 'owner', members: 2 });
  t.equal(api.security.filter(({ event }) => event === 'hub_member_left').length, 1);
});

t.test('of two owners who leave at once one stays', async (t) => {
  const { ana, max, ids } = await hubPeople(t);
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  const answers = await Promise.all([ana, max].map((one) => one.ask('POST', '/api/v1/hubs/acme/leave')));
  t.same(answers.map(({ status }) => status).sort(), [204, 409]);
});

t.test('a hub whose only owner’s account is removed goes to the owner who removed it', async (t) => {
  const { api, ana, max, ids } = await hubPeople(t);
  await makeHub(max, 'of-max');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  t.match(await json(ana.ask('GET', '/api/v1/hubs/of-max')), { role: 'owner', members: 1 });
  t.match(
    api.security.find(({ event }) => event === 'hub_handed_over'),
    { person: ids.Max, by: ids.Ana },
  );
});

t.test('an owner who removes their own account leaves their hubs to another owner', async (t) => {
  const { ana, max, ids } = await hubPeople(t);
  await ana.ask('PUT', `/api/v1/people/${ids.Max}`, { role: 'owner' });
  await makeHub(ana, 'of-ana');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Ana}`)).status, 204);
  t.match(await json(max.ask('GET', '/api/v1/hubs/of-ana')), { role: 'owner' });
});

t.test('hubs and members are bounded', async (t) => {
  const { ana, ids } = await hubPeople(t, { hubSettings: { mostHubs: 1, mostMembers: 3 } });
  t.equal(await refusalOf(ana.ask('POST', '/api/v1/hubs', { slug: 'second' })), '409 HUB_LIMIT_REACHED');
  t.equal(await refusalOf(putMember(ana, 'acme', ids.Eve ?? '', 'member')), '409 HUB_LIMIT_REACHED');
  t.equal((await putMember(ana, 'acme', ids.Max ?? '', 'viewer')).status, 200, 'another role is no further member');
});
