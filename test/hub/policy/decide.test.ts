/** What a policy lets through: by tool and role, by what a tool says of itself, by arguments, by how often. */
import fc from 'fast-check';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { VpError } from '../../../src/errors/vp-error.ts';
import { CallLimits } from '../../../src/hub/policy/call-limits.ts';
import { compilePolicy } from '../../../src/hub/policy/compiled.ts';
import { plainNames, pointersOf } from '../../../src/hub/policy/hidden-fields.ts';
import { type CallFacts, refusalOf } from '../../../src/hub/policy/judge.ts';
import { matchesTool } from '../../../src/hub/policy/tool-pattern.ts';

const call = (more: Partial<CallFacts> = {}): CallFacts => ({
  role: 'member',
  connection: 'tickets',
  tool: 'create',
  isReading: false,
  arguments: { value: { title: 'x' } },
  ...more,
});

t.test('a star stands for any characters', async (t) => {
  for (const [pattern, name, is] of [
    ['tickets__create', 'tickets__create', true],
    ['tickets__*', 'tickets__create', true],
    ['*__delete*', 'wiki__delete_page', true],
    ['*', '', true],
    ['tickets__*', 'tickets_create', false],
    ['tickets__create', 'tickets__created', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXbYcZ', false],
    ['tickets__.*', 'tickets__create', false],
  ] as const)
    t.equal(matchesTool(pattern, name), is, `${pattern} ${name}`);
  const startMs = systemClock.monotonicMs();
  matchesTool(`${'*a'.repeat(99)}b`, 'a'.repeat(5000));
  t.ok(systemClock.monotonicMs() - startMs < 500);
});

t.test('patterns match as regular expressions would', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`);
      return matchesTool(pattern, name) === expression.test(name);
    }),
    { numRuns: 2000 },
  );
});

t.test('by default everybody calls, and viewers only read', async (t) => {
  const policy = compilePolicy({});
  t.equal(refusalOf(policy, call()), undefined);
  t.equal(refusalOf(policy, call({ role: 'owner' })), undefined);
  t.match(refusalOf(policy, call({ role: 'viewer' })), { reason: /may only read/ });
  t.equal(refusalOf(policy, call({ role: 'viewer', isReading: true })), undefined);
});

t.test('a role has what is allowed and not denied', async (t) => {
  const policy = compilePolicy({ roles: { member: { allow: ['tickets__*', 'wiki__read'], deny: ['*__delete*'] } } });
  t.equal(refusalOf(policy, call()), undefined);
  t.match(refusalOf(policy, call({ tool: 'delete_all' })), { reason: /denies \*__delete\*/, cure: /owner/ });
  t.match(refusalOf(policy, call({ connection: 'wiki' })), { reason: /does not allow/ });
  t.equal(refusalOf(policy, call({ connection: 'wiki', tool: 'read' })), undefined);
  t.match(refusalOf(compilePolicy({ roles: { member: { allow: [] } } }), call()), { reason: /does not allow/ });
});

t.test('arguments have to fit the schemas of their tool', async (t) => {
  const policy = compilePolicy({
    arguments: [
      {
        tools: 'tickets__*',
        message: 'only our own projects',
        schema: {
          type: 'object',
          properties: { title: { type: 'string', pattern: '^[a-z]+$' }, project: { enum: ['A', 'B'] } },
          required: ['title'],
        },
      },
    ],
  });
  t.equal(refusalOf(policy, call()), undefined);
  t.match(refusalOf(policy, call({ arguments: { value: { title: 'X1' } } })), {
    reason: /^only our own projects: \/title must match pattern/,
  });
  t.match(refusalOf(policy, call({ arguments: { value: undefined } })), { reason: /required property 'title'/ });
  t.equal(refusalOf(policy, call({ connection: 'wiki', arguments: { value: { title: 'X1' } } })), undefined);
});

t.test('arguments are bounded in size and depth', async (t) => {
  const policy = compilePolicy({ bounds: { argument_bytes: 1000 } });
  t.match(refusalOf(policy, call({ arguments: { value: { text: 'x'.repeat(2000) } } })), {
    reason: /larger than 1000/,
  });
  let deep: unknown = 1;
  for (let at = 0; at < 100_000; at += 1) deep = { deep };
  t.match(refusalOf(policy, call({ arguments: { value: deep } })), { reason: /nested more than 64/ });
});

const refusedSchemas: readonly (readonly [object, RegExp])[] = [
  [{ $ref: '#' }, /\$ref is not allowed/],
  [{ $defs: { a: {} } }, /\$defs is not allowed/],
  [{ properties: { a: { uniqueItems: true } } }, /properties\/a\/uniqueItems is not allowed/],
  [{ unevaluatedProperties: false }, /not allowed/],
  [{ pattern: '(?=a)' }, /pattern/],
  [{ patternProperties: { '(': {} } }, /patternProperties/],
  [{ type: 'nothing' }, /schema/],
  [{ items: 7 }, /items is not a schema/],
  [{ allOf: {} }, /allOf is not allowed here/],
  [{ $schema: 'https://example.org/other' }, /schema/],
  [{ enum: ['x'.repeat(20_000)] }, /longer than/],
];

t.test('schemas that could hang the service, or that are none, are refused with their place', async (t) => {
  for (const [schema, problem] of refusedSchemas) {
    const compile = () => compilePolicy({ arguments: [{ tools: '*', schema: { ...schema } }] });
    t.throws(compile, { code: 'POLICY_INVALID', message: /arguments\/0\/schema/ }, JSON.stringify(schema).slice(0, 80));
    t.throws(compile, { message: problem });
  }
  let deep: Record<string, unknown> = {};
  for (let at = 0; at < 40; at += 1) deep = { not: deep };
  t.throws(() => compilePolicy({ arguments: [{ tools: '*', schema: deep }] }), { code: 'POLICY_INVALID' });
});

t.test('patterns of schemas are linear in time', async (t) => {
  const policy = compilePolicy({ arguments: [{ tools: '*', schema: { properties: { a: { pattern: '^(a+)+$' } } } }] });
  const startMs = systemClock.monotonicMs();
  t.match(refusalOf(policy, call({ arguments: { value: { a: `${'a'.repeat(50_000)}!` } } })), { reason: /pattern/ });
  t.ok(systemClock.monotonicMs() - startMs < 2000);
});

t.test('whatever the schema and the arguments, a policy is refused as invalid or decides', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (schema, value) => {
      try {
        const policy = compilePolicy({ arguments: [{ tools: '*', schema: { properties: { a: schema } } }] });
        refusalOf(policy, call({ arguments: { value: { a: value } } }));
        return true;
      } catch (error) {
        return error instanceof VpError && error.code === 'POLICY_INVALID';
      }
    }),
    { numRuns: 300 },
  );
});

const counted = { hubId: 'h', token: 't', person: 'p', tool: 'tickets__create' };

function enter(limits: CallLimits, more: object, nowMs: number, ...rules: Parameters<CallLimits['enter']>[0]) {
  const place = limits.enter(rules, { ...counted, ...more }, nowMs);
  return 'refusal' in place ? place.refusal.reason : place.release;
}

t.test('calls a minute are counted for each token, and come back with time', async (t) => {
  const limits = new CallLimits();
  const rule = { per: 'token', calls_a_minute: 2 } as const;
  t.type(enter(limits, {}, 0, rule), 'function');
  t.type(enter(limits, {}, 0, rule), 'function');
  t.match(enter(limits, {}, 0, rule), /more than 2 calls a minute with this token/);
  t.type(enter(limits, { token: 'other' }, 0, rule), 'function');
  t.type(enter(limits, { hubId: 'other' }, 0, rule), 'function');
  t.match(enter(limits, {}, 29_000, rule), /more than 2/);
  t.type(enter(limits, {}, 31_000, rule), 'function');
  t.match(enter(limits, {}, 31_000, rule), /more than 2/);
});

t.test('calls at once are counted until they end, each once', async (t) => {
  const limits = new CallLimits();
  const rule = { per: 'person', at_once: 1 } as const;
  const release = enter(limits, {}, 0, rule);
  t.match(enter(limits, { token: 'other' }, 0, rule), /1 calls by this person are under way/);
  for (let times = 0; times < 2; times += 1) if (typeof release === 'function') release();
  const again = enter(limits, {}, 0, rule);
  t.type(again, 'function');
  t.match(enter(limits, {}, 0, rule), /under way/);
});

t.test('a call that one limit refuses takes nothing of the others', async (t) => {
  const limits = new CallLimits();
  const rules = [
    { per: 'person', calls_a_minute: 2 },
    { per: 'tool', at_once: 1, tools: 'tickets__*' },
  ] as const;
  const release = enter(limits, {}, 0, ...rules);
  t.match(enter(limits, { person: 'other' }, 0, ...rules), /to this tool/);
  t.match(enter(limits, {}, 0, ...rules), /to this tool/);
  if (typeof release === 'function') release();
  t.type(enter(limits, {}, 0, ...rules), 'function');
  t.type(enter(limits, { person: 'other', tool: 'wiki__read' }, 0, ...rules), 'function');
});

t.test('fields are hidden by name in any spelling, wherever they stand', async (t) => {
  const value = { Password: 1, deep: [{ 'API-Key': 'x', apikey_id: 2 }], 'a/b': { access_token: {} } };
  t.strictSame(pointersOf(value, plainNames(['password', 'api_key', 'accessToken'])), [
    '/Password',
    '/deep/0/API-Key',
    '/a~1b/access_token',
  ]);
});
