import type { TSchema } from '@sinclair/typebox';
import t from 'tap';
import { parsePolicyText } from '../../../../src/console/hub/policy/parse-policy.ts';
import { createPolicyDraft, parsePolicyDraft } from '../../../../src/console/hub/policy/policy-draft.ts';
import { HubPolicyDocument } from '../../../../src/contract/hubs/policy-api.ts';
import { compilePolicy, defaultPolicy } from '../../../../src/hub/policy/compiled-policy.ts';

const fullPolicy: HubPolicyDocument = {
  roles: {
    owner: { allow: ['*'], deny: ['bank__*'], read_only: true },
    member: { allow: ['weather__*'], deny: ['weather__wipe'], read_only: true },
    viewer: { allow: [], deny: ['mail__*'], read_only: true },
  },
  arguments: [
    {
      tools: 'mail__send',
      schema: { properties: { to: { pattern: '@acme.example$' } } },
      message: 'to our own people',
    },
    { tools: '*', schema: { maxProperties: 9 } },
    { tools: 'mail__*', part: 'answers', schema: { maxProperties: 3 } },
  ],
  callers: [
    { people: ['Max'], clients: ['cursor'], allow: ['mail__*'], read_only: true },
    { tokens: ['nightly'], deny: ['*__delete*'] },
  ],
  new_tools: 'offer',
  new_prompts: 'hold',
  new_resources: 'offer',
  resources: 'any',
  direct_memory: 'refuse',
  limits: [
    { per: 'tool', tools: 'mail__*', calls_a_minute: 5 },
    { per: 'person', at_once: 2 },
  ],
  approvals: [
    { tools: 'mail__send', roles: ['member'], people: ['Ana'], valid_s: 600, hold_s: 20 },
    { tools: '*__delete*' },
  ],
  approve_by_client: 'offer',
  budgets: [
    { per: 'person', period: 'day', tools: 'mail__*', calls: 100, estimated_tokens: 5000 },
    { per: 'hub', period: 'month', bytes: 1_500_000 },
  ],
  bounds: {
    argument_bytes: 1500,
    meta_bytes: 2048,
    answer_bytes: 1_048_576,
    timeout_s: 30,
  },
  listeners: { streams_per_person: 3, streams_per_hub: 40, resources_per_person: 5, resources_per_hub: 60 },
  audit: { keep_arguments: false, keep_meta: true, lists: true, hide_fields: ['ssn'], hide: ['/message/body'] },
};

/** Paths of members that the schema has and none of `values`: `/audit/lists`. */
function listMissingMembers(schema: TSchema, values: readonly unknown[], path = ''): readonly string[] {
  if (schema.type === 'array') return listMissingMembers(schema.items, values.flat(), path);
  const members: Readonly<Record<string, TSchema>> = schema.type === 'object' ? (schema.properties ?? {}) : {};
  return Object.entries(members).flatMap(([name, member]) => {
    const entries = values.flatMap((value) => Object.entries(Object(value)));
    const memberValues = entries.flatMap(([key, value]) => (key === name ? [value] : []));
    const memberPath = `${path}/${name}`;
    return memberValues.length === 0 ? [memberPath] : listMissingMembers(member, memberValues, memberPath);
  });
}

t.test(
  'a policy with every member that the contract has survives the conversion to form fields and back',
  async (t) => {
    t.same(listMissingMembers(HubPolicyDocument, [{ audit: {} }]).slice(-2), ['/audit/hide_fields', '/audit/hide']);
    t.same(listMissingMembers(HubPolicyDocument, [fullPolicy]), []);
    t.same(parsePolicyDraft(createPolicyDraft(fullPolicy)).document, fullPolicy);
  },
);

t.test('omitted members mean the same after the conversion', async (t) => {
  for (const document of [
    {},
    { roles: { owner: { read_only: true } } },
    { limits: [] },
    { audit: { hide_fields: [] } },
  ]) {
    const roundTripped = parsePolicyDraft(createPolicyDraft(document)).document ?? {};
    t.same(compileToJson(roundTripped), compileToJson(document), JSON.stringify(document));
  }
  const { arguments: _, ...defaultRules } = defaultPolicy;
  t.match(parsePolicyDraft(createPolicyDraft(defaultPolicy)).document, {
    roles: defaultRules.roles,
    limits: defaultRules.limits,
    bounds: defaultRules.bounds,
  });
});

/** Without functions, so that policies can be compared. */
function compileToJson(document: HubPolicyDocument): unknown {
  return JSON.parse(JSON.stringify(compilePolicy(document)));
}

t.test('a schema that is not an object and a rule without tools are reported', async (t) => {
  const draft = createPolicyDraft(fullPolicy);
  const [first = { tools: '', part: 'arguments', schema: '', message: '' }] = draft.rules;
  t.same(parsePolicyDraft({ ...draft, rules: [first, { ...first, schema: '[]' }] }), {
    problem: 'Rule 2: the schema must be a JSON object',
  });
  t.match(parsePolicyDraft({ ...draft, rules: [{ ...first, schema: '{' }] }), { problem: /^Rule 1/ });
  t.match(parsePolicyDraft({ ...draft, rules: [{ ...first, tools: '' }] }), { problem: /must name its tools/ });
});

t.test('a caller rule without names is reported', async (t) => {
  const draft = createPolicyDraft({ callers: [{ people: ['Max'], read_only: true }] });
  const unnamed = draft.callers.map((rule) => ({ ...rule, people: [] }));
  t.match(parsePolicyDraft({ ...draft, callers: unnamed }), { problem: /^Caller rule 1: name people/ });
});

t.test('the text of every policy that the server accepts is accepted', async (t) => {
  for (const document of [fullPolicy, defaultPolicy]) t.match(parsePolicyText(JSON.stringify(document)), { document });
  t.match(parsePolicyText('{"rolls": {}}'), { problem: /Unknown member "rolls"/ });
});
