import t from 'tap';
import { draftOfPolicy, policyOf } from '../../../src/console/hub/policy/policy-draft.ts';
import type { HubPolicyDocument } from '../../../src/contract/hub-policy-api.ts';
import { compilePolicy, defaultPolicy } from '../../../src/hub/policy/compiled.ts';

const whole: HubPolicyDocument = {
  roles: {
    owner: {},
    member: { allow: ['weather__*'], deny: ['weather__wipe'] },
    viewer: { allow: [], read_only: true },
  },
  arguments: [
    {
      tools: 'mail__send',
      schema: { properties: { to: { pattern: '@acme.example$' } } },
      message: 'to our own people',
    },
    { tools: '*', schema: { maxProperties: 9 } },
  ],
  limits: [
    { per: 'tool', tools: 'mail__*', calls_a_minute: 5 },
    { per: 'person', at_once: 2 },
  ],
  bounds: { argument_bytes: 1500, answer_bytes: 1_048_576, timeout_s: 30 },
  audit: { keep_arguments: false, hide_fields: ['ssn'], hide: ['/message/body'] },
};

t.test('a policy goes into the form and comes back as it was', async (t) => {
  t.same(policyOf(draftOfPolicy(whole)).document, whole);
});

t.test('what a policy leaves out means the same when it comes back', async (t) => {
  for (const document of [
    {},
    { roles: { owner: { read_only: true } } },
    { limits: [] },
    { audit: { hide_fields: [] } },
  ]) {
    const back = policyOf(draftOfPolicy(document)).document ?? {};
    t.same(compiled(back), compiled(document), JSON.stringify(document));
  }
  const { arguments: _, ...said } = defaultPolicy;
  t.match(policyOf(draftOfPolicy(defaultPolicy)).document, {
    roles: said.roles,
    limits: said.limits,
    bounds: said.bounds,
  });
});

/** What it comes to, but for functions. */
function compiled(document: HubPolicyDocument): unknown {
  return JSON.parse(JSON.stringify(compilePolicy(document)));
}

t.test('a schema that is no object, and a rule of no tools, are told', async (t) => {
  const draft = draftOfPolicy(whole);
  const [first = { tools: '', schema: '', message: '' }] = draft.rules;
  t.same(policyOf({ ...draft, rules: [first, { ...first, schema: '[]' }] }), {
    problem: 'Rule 2: its schema is no JSON object',
  });
  t.match(policyOf({ ...draft, rules: [{ ...first, schema: '{' }] }), { problem: /^Rule 1/ });
  t.match(policyOf({ ...draft, rules: [{ ...first, tools: '' }] }), { problem: /of which tools/ });
});
