import t from 'tap';
import { assertNoUris, findUnknownTools, formatUnknownTool } from '../../../src/hub/policy/unknown-tools.ts';
import { ana, startGovernance } from './test-governance.ts';

const connections = [
  { name: 'weather', tools: ['forecast', 'wipe'] },
  { name: 'fresh', tools: [] },
];
const find = (deny: string[], current: string[] = []) =>
  findUnknownTools({ roles: { viewer: { deny } } }, { roles: { viewer: { deny: current } } }, connections);

t.test('a tool that no connection offers is unknown, and so is a pattern of an unknown connection', async (t) => {
  t.same(find(['weather__wipe', 'weather__wype', 'wether__*', 'mail__send', 'wipe']), [
    'weather__wype',
    'wether__*',
    'mail__send',
    'wipe',
  ]);
});

t.test('patterns for tools to come, and tools of a server that was never listed, are accepted', async (t) => {
  t.same(find(['*', '*delete*', 'weather__*', 'weather__w*', 'weather*', 'fresh__anything', 'fresh__any*']), []);
});

t.test('a pattern that no tool of a listed server matches is unknown', async (t) => {
  t.same(find(['weather__get_*', 'weather__w*pe', 'weather__*wype*']), ['weather__get_*', 'weather__*wype*']);
  t.equal(formatUnknownTool('weather__wip_*', connections), 'weather__wip_* (did you mean weather__wipe*?)');
});

t.test('prompts are known to rules that hold for them', async (t) => {
  const listed = [{ name: 'weather', tools: ['forecast'], prompts: ['report'] }];
  const tools = 'weather__report';
  const document = { arguments: [{ tools, schema: {} }], limits: [{ per: 'tool' as const, tools, at_once: 1 }] };
  t.same(findUnknownTools(document, {}, listed), []);
  t.same(findUnknownTools({ approvals: [{ tools }] }, document, listed), [tools], 'approvals are for tools');
  t.same(findUnknownTools({ budgets: [{ per: 'hub', period: 'day', tools, calls: 1 }] }, {}, listed), [tools]);
});

t.test('the URI of a resource is refused in rules that never hold for one', async (t) => {
  const tools = 'weather__note://*';
  const rules = {
    arguments: [{ tools, schema: {} }],
    approvals: [{ tools }],
    budgets: [{ per: 'hub' as const, period: 'day' as const, tools, calls: 1 }],
  };
  for (const [member, value] of Object.entries(rules))
    t.throws(() => assertNoUris({ [member]: value }), { code: 'POLICY_INVALID', message: `${member}/0/tools` });
  assertNoUris({ roles: { member: { deny: [tools] } }, limits: [{ per: 'tool', tools, at_once: 1 }] });
  const { governance } = await startGovernance(t);
  const document = { approvals: rules.approvals };
  const input = { document, if_revision: 0, accept_unknown_tools: true };
  await t.rejects(governance.setPolicy(ana, 'acme', input), { code: 'POLICY_INVALID' });
  await t.rejects(governance.tryPolicy(ana, 'acme', document), { code: 'POLICY_INVALID' });
});

t.test('resources are named by their URI, and need not be listed', async (t) => {
  t.same(find(['weather__file:///a.txt', 'mail__file:///a.txt']), ['mail__file:///a.txt']);
});

t.test('what the present policy already names is not in question again', async (t) => {
  t.same(find(['mail__send', 'mail__sent'], ['mail__send']), ['mail__sent']);
});

t.test('argument rules, limits and rules for callers count too', async (t) => {
  const document = {
    callers: [{ people: ['Max'], allow: ['mail__read'] }],
    arguments: [{ tools: 'mail__send', schema: {} }],
    limits: [{ per: 'tool' as const, tools: 'mail__list' }, { per: 'person' as const }],
  };
  t.same(findUnknownTools(document, {}, connections), ['mail__read', 'mail__send', 'mail__list']);
});

t.test('the tool or connection that was probably meant is named', async (t) => {
  t.equal(formatUnknownTool('weather__wype', connections), 'weather__wype (did you mean weather__wipe?)');
  t.equal(formatUnknownTool('wether__*', connections), 'wether__* (did you mean weather__*?)');
  t.equal(formatUnknownTool('mail__send', connections), 'mail__send');
});
