import t from 'tap';
import { buildConnectionRequest, listRemoteOffers } from '../../../src/contract/registry/remote-connection.ts';
import { findAddressProblem, toAddressKeys } from '../../../src/registry/document/remote-address.ts';

t.test('fixed values cannot hide the host: people see, and rules check, where the URL leads', async (t) => {
  const disguisedRemote = { url: 'https://mcp.example.com{h}/u', variables: { h: { value: '.evil.example' } } };
  const [offer] = listRemoteOffers({ remotes: [{ type: 'streamable-http', ...disguisedRemote }] });
  if (!offer) throw new Error('nothing is offered');
  t.equal(offer.url, 'https://mcp.example.com.evil.example/u', 'which the dialog shows');
  t.equal(buildConnectionRequest(offer, { name: 'x', values: {} }).connection?.url, offer.url);
  t.match(findAddressProblem(disguisedRemote), /hides its host/);
  const internalRemote = { url: 'https://{h}/u', variables: { h: { value: '127.0.0.1' } } };
  t.match(findAddressProblem(internalRemote), /leads to a loopback/);
  const cases: readonly (readonly [string, Record<string, object>])[] = [
    ['https://{h}/u', { h: { value: 'mcp.example.com' } }],
    ['https://mcp.example.com{h}/u', { h: {} }],
    ['https://mcp.example.{tld}/u', { tld: {} }],
    ['https://{h}.example/u', { h: {} }],
    ['https://mcp.example.com:{port}/u', { port: {} }],
  ];
  for (const [url, variables] of cases)
    t.match(findAddressProblem({ url, variables }), /hides its host|is not a valid URL/, url);
});

t.test('a variable host is entered by users or is below a visible domain', async (t) => {
  for (const url of [
    'https://{h}/u',
    'https://{h}:8443/u',
    'https://{h}.example.com/u',
    'https://eu-{h}.mcp.example.com:8443/u',
  ])
    t.equal(findAddressProblem({ url, variables: { h: {} } }), undefined, url);
});

t.test('a URL must be normalized, and the error says how to write it', async (t) => {
  for (const [url, sent] of [
    ['https://mcp.example.com:0443/u', 'https://mcp.example.com/u'],
    ['https://MCP.example.com/u', 'https://mcp.example.com/u'],
    ['https://mcp.example.com/./u', 'https://mcp.example.com/u'],
    ['https://mcp.example.com/x/../u', 'https://mcp.example.com/u'],
    ['https://mcp.example.com\\u', 'https://mcp.example.com/u'],
    ['https://mcp.example\uff0ecom/u', 'https://mcp.example.com/u'],
    ['https://mcp%2eexample.com/u', 'https://mcp.example.com/u'],
  ] as const)
    t.equal(findAddressProblem({ url }), `is not normalized: write ${sent}`, url);
  t.match(
    findAddressProblem({ url: 'https://mcp.example.com/../{x}', variables: { x: {} } }),
    /not normalized: write the host/,
  );
  for (const url of ['https://mcp.example.com', 'https://mcp.example.com/', 'https://mcp.example.com:8443/a/u?b=c'])
    t.equal(findAddressProblem({ url }), undefined, url);
});

t.test('spellings of one URL have one key, and other URLs have others', async (t) => {
  const toKey = (url: string, variables = {}) => toAddressKeys({ url, variables })[0];
  const known = toKey('https://mcp.example.com/u');
  for (const url of [
    'https://mcp.example.com./u',
    'https://mcp.example.com//u',
    'https://mcp.example.com/%75',
    'https://mcp.example.com/u?',
    'https://mcp.example.com/u/',
    'https://mcp.example.com/U',
    'https://MCP.example.com:443/./u',
  ])
    t.equal(toKey(url), known, url);
  t.equal(toKey('https://{h}/u', { h: { value: 'mcp.example.com' } }), known, 'fixed values are in place');
  t.equal(toKey('https://mcp.example.com/{a}/u', { a: {} }), toKey('https://mcp.example.com/{b}/u', { b: {} }));
  t.ok(
    toAddressKeys({ url: 'https://mcp.example.com/{a}', variables: { a: { default: 'u' } } }).includes(String(known)),
  );
  for (const url of [
    'https://mcp.example.com/',
    'https://mcp.example.com/u?v=1',
    'https://mcp.example.com:8443/u',
    'https://mcp.example.com/u/v',
    'https://mcp.example.com/%2Fu',
  ])
    t.not(toKey(url), known, url);
});
