/** Rules about URIs hold for every spelling of them under which a server may understand another one. */
import t from 'tap';
import { findItemRefusal } from '../../../src/hub/policy/call-rules.ts';
import { compilePolicy } from '../../../src/hub/policy/compiled-policy.ts';
import { createEntry } from '../audit/test-audit.ts';
import { ana, createPrincipal, max, startGovernance, tickets } from './test-governance.ts';

const facts = { role: 'member', connection: 'files' } as const;
const isAllowed = (rules: object, uri: string): boolean =>
  findItemRefusal(compilePolicy({ roles: { member: rules } }), { ...facts, tool: uri }) === undefined;

const spellings = [
  'file:///private/a',
  'file:///%70rivate/a',
  'file:///%2570rivate/a',
  'file:///./private/a',
  'file:///.//private/a',
  'file:////private/a',
  'file://localhost/private/a',
  'file://LOCALHOST/private/a',
  'file:/private/a',
  'FILE:///private/a',
  'file:///public/../private/a',
  'file:///public/%2e%2e/private/a',
  'file:///public/..;/private/a',
  'file:///private;v=1/a',
  'file:///public%2f..%2fprivate/a',
  'file:///public%5c..%5cprivate/a',
  'file:///private%2Fa',
  'file:///private%2F%EF%BF%BD%2F..%2Fa',
  'file:///private%2F%FF%2F..%2Fa',
  'file:///private/a?raw',
  'file:///pri\tvate/a',
  'file:///public/.\n./private/a',
  ' fi\rle:///private/a',
  'file:\\\\\\private\\a',
];
/** Of `https://internal.example/a` for servers that parse addresses as the URL Standard says. */
const webSpellings = [
  'https://internal.example:443/a',
  'https://kim:x@internal.example/a',
  'https://public.example@internal.example:0443/a',
  'https://internal.example./a',
  'https://\uFF49nternal.example/a',
  'https://internal\u3002example/a',
  'https://inter\tnal\u00AD.example/a',
  'https:///internal.example/a',
  'https:internal.example/a',
  'https:\\\\internal.example\\a',
  'https://*@internal.example/a',
];

t.test('what is denied is denied under every spelling', async (t) => {
  for (const uri of spellings) {
    t.notOk(isAllowed({ deny: ['files__file:///private/*'] }, uri), uri);
    t.notOk(isAllowed({ deny: ['files__file:///%70rivate//*'] }, uri), `a pattern with escapes: ${uri}`);
    t.notOk(isAllowed({ deny: ['*private/a'] }, uri), `a pattern of any connection: ${uri}`);
  }
  for (const uri of ['file:///public/a', 'file:///privately/a', 'file:///a/private', 'note://private/a'])
    t.ok(isAllowed({ deny: ['files__file:///private/*'] }, uri), uri);
  t.notOk(isAllowed({ deny: ['files__https://example.org/*'] }, 'HTTPS://Example.ORG/a'));
  for (const uri of webSpellings) {
    t.notOk(isAllowed({ deny: ['files__https://internal.example/*'] }, uri), uri);
    t.notOk(isAllowed({ deny: ['files__https://internal.example:443/*'] }, uri), `a pattern with a port: ${uri}`);
  }
  t.notOk(isAllowed({ deny: ['files__https://internal.example/*'] }, 'https://internal.example?a'));
  t.notOk(isAllowed({ deny: ['files__http://127.0.0.1/*'] }, 'http://0x7f.1/a'));
  t.ok(isAllowed({ deny: ['files__https://internal.example/*'] }, 'https://internal.example:8443/a'));
  t.ok(isAllowed({ deny: ['files__https://kim@*.example/*'] }, 'https://internal.example/a'), 'a pattern with a user');
  t.ok(isAllowed({ deny: ['files__https://example.org/a;v=1'] }, 'https://example.org/a;v=2'), 'not more than that');
  t.ok(isAllowed({ deny: ['files__https://example.org/a?x=1'] }, 'https://example.org/a?x=2'));
});

t.test('what is allowed must be allowed under every spelling', async (t) => {
  for (const uri of [
    'file:///public/a',
    'file:///public/%70rivate',
    'file:///public/a%20b',
    'file:///public/a;v=1?x=1',
  ])
    t.ok(isAllowed({ allow: ['files__file:///public/*'] }, uri), uri);
  for (const uri of [
    'file:///public/../private/a',
    'file:///public/%2e%2e/private/a',
    'file:///public/..;/private/a',
    'file:///public/..%2fprivate/a',
    'file:///public/%252e%252e/private/a',
    'file:///public/..\t/private/a',
  ])
    t.notOk(isAllowed({ allow: ['files__file:///public/*'] }, uri), uri);
  for (const pattern of [
    'https://*',
    'https:*',
    'https://public.example*',
    'https://*.example/*',
    'https://public.example/*',
  ])
    t.ok(isAllowed({ allow: [`files__${pattern}`] }, 'https://public.example/a'), pattern);
  t.ok(isAllowed({ allow: ['files__https://public.example'] }, 'https://public.example'));
  t.notOk(isAllowed({ allow: ['files__https://public.example*'] }, 'https://public.example@internal.example/a'));
  t.ok(isAllowed({ allow: ['files__file:///a%20b'] }, 'file:///a%20b'), 'a pattern with escapes');
  t.ok(isAllowed({ allow: ['files__file:///a;v=1'] }, 'file:///a;v=1'));
  t.notOk(isAllowed({ allow: ['files__file:///a;v=1'] }, 'file:///a'));
});

t.test('names of prompts, and URIs that are malformed, have one spelling', async (t) => {
  t.ok(isAllowed({ deny: ['files__a%62'] }, 'ab'));
  t.notOk(isAllowed({ deny: ['files__a*'] }, 'a%zz'));
  t.notOk(isAllowed({ deny: ['files__x:*'] }, 'x:%ff%zz%'));
});

t.test('a rule for a caller, and the trial of a policy, know the spellings', async (t) => {
  const { governance, audit } = await startGovernance(t);
  const uri = 'file:///%70rivate/a';
  const entry = { method: 'resources/read', principal: createPrincipal(max), tool: uri, outcome: 'ok' } as const;
  await audit.record(createEntry({ ...entry, connection: { id: tickets.id, name: 'tickets' } }));
  const document = { callers: [{ people: ['Max'], deny: ['tickets__file:///private/*'] }] };
  t.match(await governance.tryPolicy(ana, 'acme', document), { refused: [{ calls: 1, reason: /denies/ }] });
  await governance.setPolicy(ana, 'acme', { document, if_revision: 0, accept_unknown_callers: true });
  const access = { principal: createPrincipal(max), connection: tickets, tool: uri, isListed: true };
  t.match(await governance.policy.findAccessRefusal(access), { reason: /denies/ });
  t.match(await governance.policy.admit({ ...access, arguments: { uri } }), { allowed: false, reason: /denies/ });
});
