import t from 'tap';
import type { RegistryRemote } from '../../src/contract/registry-api.ts';
import {
  connectionFrom,
  connectionNameFor,
  type RemoteOffer,
  remoteOffers,
} from '../../src/contract/registry-remote.ts';

function offer(remote: Partial<RegistryRemote> & { url: string }): RemoteOffer {
  const [one] = remoteOffers({ remotes: [{ type: 'streamable-http', ...remote }] });
  if (!one) throw new Error('nothing is offered');
  return one;
}

const slug = { slug: { description: 'Slug of the hub', isRequired: true } };
const bearer = {
  name: 'Authorization',
  isRequired: true,
  isSecret: true,
  value: 'Bearer {token}',
  variables: { token: { description: 'A token', isRequired: true } },
};

t.test('an address alone is a connection, and one may sign in to it', async (t) => {
  const plain = offer({ url: 'https://mcp.example.com/mcp' });
  const target = { name: 'search', kind: 'http', url: 'https://mcp.example.com/mcp' };
  t.same(plain.inputs, []);
  t.same(connectionFrom(plain, { name: 'search', values: {} }), { connection: target });
  t.same(connectionFrom(plain, { name: 'search', values: {}, signIn: 'per_user' }), {
    connection: { ...target, credential: { kind: 'oauth', sharing: 'per_user' } },
  });
  t.equal(offer({ type: 'sse', url: 'https://mcp.example.com/sse' }).kind, 'sse');
});

t.test('what the address leaves open is asked for, and stays one part of it', async (t) => {
  const hub = offer({ url: 'https://vp.example.com/hub/{slug}/mcp', variables: slug });
  t.match(hub.inputs, [{ key: 'slug', required: true, secret: false, description: 'Slug of the hub' }]);
  const urlWith = (value: string) => connectionFrom(hub, { name: 'x', values: { slug: value } });
  t.match(urlWith(' acme '), { connection: { url: 'https://vp.example.com/hub/acme/mcp' } });
  t.match(urlWith('a/../../b?c#d'), { connection: { url: 'https://vp.example.com/hub/a%2F..%2F..%2Fb%3Fc%23d/mcp' } });
  t.same(urlWith('..'), { problems: [{ key: 'slug', problem: 'would lead to another path' }] });
  t.same(urlWith(''), { problems: [{ key: 'slug', problem: 'is needed' }] });
  const inherited = offer({ url: 'https://vp.example.com/{constructor}', variables: {} });
  t.same(connectionFrom(inherited, { name: 'x', values: {} }), {
    problems: [{ key: 'constructor', problem: 'is needed' }],
  });
});

t.test('defaults, fixed values and choices', async (t) => {
  const regional = offer({
    url: 'https://{region}.example.com/{version}/mcp',
    variables: { region: { default: 'eu', choices: ['eu', 'us'] }, version: { value: 'v2' } },
  });
  t.same(
    regional.inputs.map(({ key }) => key),
    ['region'],
  );
  t.match(connectionFrom(regional, { name: 'x', values: {} }), {
    connection: { url: 'https://eu.example.com/v2/mcp' },
  });
  t.same(connectionFrom(regional, { name: 'x', values: { region: 'evil.com/' } }), {
    problems: [{ key: 'region', problem: 'must be one of eu, us' }],
  });
  const own = offer({ url: '{base}/mcp', variables: { base: {} } });
  t.match(connectionFrom(own, { name: 'x', values: { base: 'https://tools.example.com' } }), {
    connection: { url: 'https://tools.example.com/mcp' },
  });
});

t.test('the header that a remote needs becomes the credential', async (t) => {
  const tokens = offer({ url: 'https://vp.example.com/agent/mcp', headers: [bearer] });
  t.match(tokens.inputs, [{ key: 'Authorization/token', label: 'token', required: true, secret: true }]);
  t.same(connectionFrom(tokens, { name: 'x', values: { 'Authorization/token': 'abc' } }), {
    connection: {
      name: 'x',
      kind: 'http',
      url: 'https://vp.example.com/agent/mcp',
      credential: { kind: 'header', header: 'Authorization', value: 'Bearer abc' },
    },
  });
  t.match(connectionFrom(tokens, { name: 'x', values: {} }), { problems: [{ key: 'Authorization/token' }] });
  const whole = offer({ url: 'https://a.example.com/', headers: [{ name: 'X-Api-Key', isSecret: true }] });
  t.match(whole.inputs, [{ key: 'X-Api-Key/value', label: 'X-Api-Key', required: false, secret: true }]);
  t.match(connectionFrom(whole, { name: 'x', values: { 'X-Api-Key/value': 'k' } }), {
    connection: { credential: { kind: 'header', header: 'X-Api-Key', value: 'k' } },
  });
  t.notOk(connectionFrom(whole, { name: 'x', values: {} }).connection?.credential, 'it may be left out');
});

t.test('a remote that needs more headers than a connection sends says so', async (t) => {
  const two = offer({ url: 'https://a.example.com/', headers: [bearer, { ...bearer, name: 'X-Tenant' }] });
  t.match(connectionFrom(two, { name: 'x', values: {} }), {
    problems: [{ problem: /needs 2 headers \(Auth.*X-Tenant\)/ }],
  });
});

t.test('names of connections are made of names of servers', async (t) => {
  t.equal(connectionNameFor('com.example/GitHub_Search.v2'), 'github-search-v2');
  t.equal(connectionNameFor('com.example/___'), 'server');
  t.equal(connectionNameFor(`com.example/-${'long-'.repeat(20)}`), 'long-long-long-long-long');
});
