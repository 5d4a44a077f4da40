import t from 'tap';
import type { RegistryRemote } from '../../../src/contract/registry/registry-api.ts';
import {
  buildConnectionRequest,
  listRemoteOffers,
  type RemoteOffer,
  toConnectionName,
} from '../../../src/contract/registry/remote-connection.ts';

function offer(remote: Partial<RegistryRemote> & { url: string }): RemoteOffer {
  const [first] = listRemoteOffers({ remotes: [{ type: 'streamable-http', ...remote }] });
  if (!first) throw new Error('nothing is offered');
  return first;
}

const slug = { slug: { description: 'Slug of the hub', isRequired: true } };
const bearer = {
  name: 'Authorization',
  isRequired: true,
  isSecret: true,
  value: 'Bearer {token}',
  variables: { token: { description: 'A token', isRequired: true } },
};

t.test('a URL alone makes a connection, with or without sign-in', async (t) => {
  const plain = offer({ url: 'https://mcp.example.com/mcp' });
  const target = { name: 'search', kind: 'http', url: 'https://mcp.example.com/mcp' };
  t.same(plain.inputs, []);
  t.same(buildConnectionRequest(plain, { name: 'search', values: {} }), { connection: target });
  t.same(buildConnectionRequest(plain, { name: 'search', values: {}, signIn: 'per_user' }), {
    connection: { ...target, credential: { kind: 'oauth', sharing: 'per_user' } },
  });
  t.equal(offer({ type: 'sse', url: 'https://mcp.example.com/sse' }).kind, 'sse');
});

t.test('URL variables become inputs, and their values cannot change the path or host', async (t) => {
  const hub = offer({ url: 'https://vp.example.com/hub/{slug}/mcp', variables: slug });
  t.match(hub.inputs, [{ key: 'slug', required: true, secret: false, description: 'Slug of the hub' }]);
  const urlWith = (value: string) => buildConnectionRequest(hub, { name: 'x', values: { slug: value } });
  t.match(urlWith(' acme '), { connection: { url: 'https://vp.example.com/hub/acme/mcp' } });
  t.match(urlWith('a/../../b?c#d'), { connection: { url: 'https://vp.example.com/hub/a%2F..%2F..%2Fb%3Fc%23d/mcp' } });
  t.same(urlWith('..'), { problems: [{ key: 'slug', problem: 'would lead to another path' }] });
  t.same(urlWith(''), { problems: [{ key: 'slug', problem: 'is required' }] });
  const inherited = offer({ url: 'https://vp.example.com/{constructor}', variables: {} });
  t.same(buildConnectionRequest(inherited, { name: 'x', values: {} }), {
    problems: [{ key: 'constructor', problem: 'is required' }],
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
  t.match(buildConnectionRequest(regional, { name: 'x', values: {} }), {
    connection: { url: 'https://eu.example.com/v2/mcp' },
  });
  t.same(buildConnectionRequest(regional, { name: 'x', values: { region: 'evil.com/' } }), {
    problems: [{ key: 'region', problem: 'must be one of eu, us' }],
  });
  const selfHosted = offer({ url: '{base}/mcp', variables: { base: {} } });
  t.match(buildConnectionRequest(selfHosted, { name: 'x', values: { base: 'https://tools.example.com' } }), {
    connection: { url: 'https://tools.example.com/mcp' },
  });
});

t.test('a required header becomes the credential', async (t) => {
  const tokens = offer({ url: 'https://vp.example.com/agent/mcp', headers: [bearer] });
  t.match(tokens.inputs, [{ key: 'Authorization/token', label: 'token', required: true, secret: true }]);
  t.same(buildConnectionRequest(tokens, { name: 'x', values: { 'Authorization/token': 'abc' } }), {
    connection: {
      name: 'x',
      kind: 'http',
      url: 'https://vp.example.com/agent/mcp',
      credential: { kind: 'header', header: 'Authorization', value: 'Bearer abc' },
    },
  });
  t.match(buildConnectionRequest(tokens, { name: 'x', values: {} }), { problems: [{ key: 'Authorization/token' }] });
  const keyHeader = offer({ url: 'https://a.example.com/', headers: [{ name: 'X-Api-Key', isSecret: true }] });
  t.match(keyHeader.inputs, [{ key: 'X-Api-Key/value', label: 'X-Api-Key', required: false, secret: true }]);
  t.match(buildConnectionRequest(keyHeader, { name: 'x', values: { 'X-Api-Key/value': 'k' } }), {
    connection: { credential: { kind: 'header', header: 'X-Api-Key', value: 'k' } },
  });
  t.notOk(buildConnectionRequest(keyHeader, { name: 'x', values: {} }).connection?.credential, 'it may be left out');
});

t.test('a remote that requires several headers has a problem', async (t) => {
  const twoHeaders = offer({ url: 'https://a.example.com/', headers: [bearer, { ...bearer, name: 'X-Tenant' }] });
  t.match(buildConnectionRequest(twoHeaders, { name: 'x', values: {} }), {
    problems: [{ problem: /needs 2 headers \(Auth.*X-Tenant\)/ }],
  });
});

t.test('connection names are derived from server names', async (t) => {
  t.equal(toConnectionName('com.example/GitHub_Search.v2'), 'github-search-v2');
  t.equal(toConnectionName('com.example/___'), 'server');
  t.equal(toConnectionName(`com.example/-${'long-'.repeat(20)}`), 'long-long-long-long-long');
});
