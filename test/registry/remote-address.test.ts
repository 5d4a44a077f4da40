import t from 'tap';
import { connectionFrom, remoteOffers } from '../../src/contract/registry-remote.ts';
import { addressKeys, addressProblem } from '../../src/registry/remote-address.ts';

t.test('what is fixed does not hide the host: people see, and rules look at, where it leads', async (t) => {
  const disguised = { url: 'https://mcp.example.com{h}/u', variables: { h: { value: '.evil.example' } } };
  const [offer] = remoteOffers({ remotes: [{ type: 'streamable-http', ...disguised }] });
  if (!offer) throw new Error('nothing is offered');
  t.equal(offer.url, 'https://mcp.example.com.evil.example/u', 'which the dialog shows');
  t.equal(connectionFrom(offer, { name: 'x', values: {} }).connection?.url, offer.url);
  t.match(addressProblem(disguised), /hides whose host/);
  const inward = { url: 'https://{h}/u', variables: { h: { value: '127.0.0.1' } } };
  t.match(addressProblem(inward), /leads to a loopback/);
  const cases: readonly (readonly [string, Record<string, object>])[] = [
    ['https://{h}/u', { h: { value: 'mcp.example.com' } }],
    ['https://mcp.example.com{h}/u', { h: {} }],
    ['https://mcp.example.{tld}/u', { tld: {} }],
    ['https://{h}.example/u', { h: {} }],
    ['https://mcp.example.com:{port}/u', { port: {} }],
  ];
  for (const [url, variables] of cases)
    t.match(addressProblem({ url, variables }), /hides whose host|is no address/, url);
});

t.test('a host that people are asked for is theirs, or below a domain that is shown', async (t) => {
  for (const url of [
    'https://{h}/u',
    'https://{h}:8443/u',
    'https://{h}.example.com/u',
    'https://eu-{h}.mcp.example.com:8443/u',
  ])
    t.equal(addressProblem({ url, variables: { h: {} } }), undefined, url);
});

t.test('an address is written as it is sent, and the right way is told', async (t) => {
  for (const [url, sent] of [
    ['https://mcp.example.com:0443/u', 'https://mcp.example.com/u'],
    ['https://MCP.example.com/u', 'https://mcp.example.com/u'],
    ['https://mcp.example.com/./u', 'https://mcp.example.com/u'],
    ['https://mcp.example.com/x/../u', 'https://mcp.example.com/u'],
    ['https://mcp.example.com\\u', 'https://mcp.example.com/u'],
    ['https://mcp.example\uff0ecom/u', 'https://mcp.example.com/u'],
    ['https://mcp%2eexample.com/u', 'https://mcp.example.com/u'],
  ] as const)
    t.equal(addressProblem({ url }), `is not written as it is sent, which is ${sent}`, url);
  t.match(
    addressProblem({ url: 'https://mcp.example.com/../{x}', variables: { x: {} } }),
    /not written as it is sent: /,
  );
  for (const url of ['https://mcp.example.com', 'https://mcp.example.com/', 'https://mcp.example.com:8443/a/u?b=c'])
    t.equal(addressProblem({ url }), undefined, url);
});

t.test('spellings of one place have one key, and other places another', async (t) => {
  const keyOf = (url: string, variables = {}) => addressKeys({ url, variables })[0];
  const known = keyOf('https://mcp.example.com/u');
  for (const url of [
    'https://mcp.example.com./u',
    'https://mcp.example.com//u',
    'https://mcp.example.com/%75',
    'https://mcp.example.com/u?',
    'https://mcp.example.com/u/',
    'https://mcp.example.com/U',
    'https://MCP.example.com:443/./u',
  ])
    t.equal(keyOf(url), known, url);
  t.equal(keyOf('https://{h}/u', { h: { value: 'mcp.example.com' } }), known, 'fixed values are in place');
  t.equal(keyOf('https://mcp.example.com/{a}/u', { a: {} }), keyOf('https://mcp.example.com/{b}/u', { b: {} }));
  t.ok(addressKeys({ url: 'https://mcp.example.com/{a}', variables: { a: { default: 'u' } } }).includes(String(known)));
  for (const url of [
    'https://mcp.example.com/',
    'https://mcp.example.com/u?v=1',
    'https://mcp.example.com:8443/u',
    'https://mcp.example.com/u/v',
    'https://mcp.example.com/%2Fu',
  ])
    t.not(keyOf(url), known, url);
});
