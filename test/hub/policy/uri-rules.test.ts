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
  ])
    t.notOk(isAllowed({ allow: ['files__file:///public/*'] }, uri), uri);
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
