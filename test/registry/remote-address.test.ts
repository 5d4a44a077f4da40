import t from 'tap';
import { connectionFrom, remoteOffers } from '../../src/contract/registry-remote.ts';
import { addressProblem } from '../../src/registry/remote-address.ts';

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
