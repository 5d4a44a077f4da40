/** What a policy allows: by tool and role, by the tool's declaration, by arguments, and by rate. */
import fc from 'fast-check';
import t from 'tap';
import { VpError } from '../../../src/errors/vp-error.ts';
import { CallRateLimiter } from '../../../src/hub/policy/call-rate-limiter.ts';
import type { CallFacts } from '../../../src/hub/policy/call-rules.ts';
import { compilePolicy } from '../../../src/hub/policy/compiled-policy.ts';
import { findFieldPointers, normalizeFieldNames } from '../../../src/hub/policy/field-pointers.ts';
import { measureJson } from '../../../src/hub/policy/json-size.ts';
import { findRoundedNumber, isExactDouble } from '../../../src/hub/policy/rounded-numbers.ts';
import { matchesTool } from '../../../src/hub/policy/tool-pattern.ts';
import { parseExactJson } from '../../../src/json/exact-json.ts';
import { findCallRefusal } from './call-refusal.ts';

const createCall = (overrides: Partial<CallFacts> = {}): CallFacts => ({
  role: 'member',
  connection: 'tickets',
  tool: 'create',
  isReadOnly: false,
  arguments: { value: { title: 'x' } },
  ...overrides,
});

t.test('a star matches any characters', async (t) => {
  for (const [pattern, name, expected] of [
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
    t.equal(matchesTool(pattern, name), expected, `${pattern} ${name}`);
  t.equal(matchesTool(`${'*a'.repeat(99)}b`, 'a'.repeat(5000)), false, 'in quadratic time');
});

t.test('patterns match like regular expressions', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`);
      return matchesTool(pattern, name) === expression.test(name);
    }),
    { numRuns: 2000 },
  );
});

t.test('by default everybody calls tools, and viewers only read', async (t) => {
  const policy = compilePolicy({});
  t.equal(findCallRefusal(policy, createCall()), undefined);
  t.equal(findCallRefusal(policy, createCall({ role: 'owner' })), undefined);
  t.match(findCallRefusal(policy, createCall({ role: 'viewer' })), { reason: /may only read/ });
  t.equal(findCallRefusal(policy, createCall({ role: 'viewer', isReadOnly: true })), undefined);
});

t.test('a role may call what is allowed and not denied', async (t) => {
  const policy = compilePolicy({ roles: { member: { allow: ['tickets__*', 'wiki__read'], deny: ['*__delete*'] } } });
  t.equal(findCallRefusal(policy, createCall()), undefined);
  t.match(findCallRefusal(policy, createCall({ tool: 'delete_all' })), {
    reason: /denies \*__delete\*/,
    cure: /owner/,
  });
  t.match(findCallRefusal(policy, createCall({ connection: 'wiki' })), { reason: /does not allow/ });
  t.equal(findCallRefusal(policy, createCall({ connection: 'wiki', tool: 'read' })), undefined);
  t.match(findCallRefusal(compilePolicy({ roles: { member: { allow: [] } } }), createCall()), {
    reason: /does not allow/,
  });
});

t.test('arguments must match the schemas of their tool', async (t) => {
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
  t.equal(findCallRefusal(policy, createCall()), undefined);
  t.match(findCallRefusal(policy, createCall({ arguments: { value: { title: 'X1' } } })), {
    reason: /^only our own projects: \/title must match pattern/,
  });
  t.match(findCallRefusal(policy, createCall({ arguments: { value: undefined } })), {
    reason: /required property 'title'/,
  });
  t.equal(
    findCallRefusal(policy, createCall({ connection: 'wiki', arguments: { value: { title: 'X1' } } })),
    undefined,
  );
});

t.test('arguments are limited in size and depth', async (t) => {
  const policy = compilePolicy({ bounds: { argument_bytes: 1000 } });
  t.match(findCallRefusal(policy, createCall({ arguments: { value: { text: 'x'.repeat(2000) } } })), {
    reason: /larger than 1000/,
  });
  let nested: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) nested = { deep: nested };
  t.match(findCallRefusal(policy, createCall({ arguments: { value: nested } })), { reason: /nested more than 64/ });
});

t.test('arguments are measured as the bytes of their JSON text', async (t) => {
  for (const value of [
    ...[
      {},
      [],
      { a: [] },
      [1, -2.5, null, true, false],
      { a: 'x', 'b\u0001"': 'ü\ud83d\ude00\ud800\n"' },
      [1e300, 1e21],
    ],
    ...[{ text: '\u20ac'.repeat(100) }, { numbers: Array.from({ length: 40 }, () => 1234567890.12345) }],
  ]) {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    t.equal(measureJson(value, bytes - 1), bytes, JSON.stringify(value).slice(0, 60));
    t.ok((measureJson(value, bytes) ?? 0) <= bytes);
  }
  t.equal(measureJson(parseExactJson(`[${'1'.repeat(500)}]`), 100), 502, 'numbers as they are sent');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      return measureJson(value, bytes - 1) === undefined || Number(measureJson(value, bytes - 1)) >= bytes;
    }),
  );
});

t.test('a number that a double rounds is told from one in another form', async (t) => {
  for (const text of [
    '0',
    '-0',
    '1.0',
    '0.1',
    '1e3',
    '1E+3',
    '-12.50',
    '9007199254740992',
    '1e308',
    '123e-2',
    '5e-324',
  ])
    t.equal(isExactDouble(text), true, text);
  for (const text of [
    '9007199254740993',
    '1000.00000000000001',
    '1e400',
    '1e-400',
    '0.10000000000000000001',
    '1.'.padEnd(500, '0'),
  ])
    t.equal(isExactDouble(text), false, text);
  const value = parseExactJson('{"a/b":[1.0,{"c":9007199254740993}]}');
  t.same(findRoundedNumber(value), { pointer: '/a~1b/1/c', text: '9007199254740993' });
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => isExactDouble(String(double))),
  );
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

t.test('unsafe and invalid schemas are refused with their path', async (t) => {
  for (const [schema, problem] of refusedSchemas) {
    const compile = () => compilePolicy({ arguments: [{ tools: '*', schema: { ...schema } }] });
    t.throws(compile, { code: 'POLICY_INVALID', message: /arguments\/0\/schema/ }, JSON.stringify(schema).slice(0, 80));
    t.throws(compile, { message: problem });
  }
  let nested: Record<string, unknown> = {};
  for (let depth = 0; depth < 40; depth += 1) nested = { not: nested };
  t.throws(() => compilePolicy({ arguments: [{ tools: '*', schema: nested }] }), { code: 'POLICY_INVALID' });
});

t.test('patterns of schemas run in linear time', async (t) => {
  const policy = compilePolicy({ arguments: [{ tools: '*', schema: { properties: { a: { pattern: '^(a+)+$' } } } }] });
  // An engine that backtracks would not end in the time of the test.
  t.match(findCallRefusal(policy, createCall({ arguments: { value: { a: `${'a'.repeat(50_000)}!` } } })), {
    reason: /pattern/,
  });
});

t.test('for any schema and arguments, a policy is rejected as invalid or decides', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (schema, value) => {
      try {
        const policy = compilePolicy({ arguments: [{ tools: '*', schema: { properties: { a: schema } } }] });
        findCallRefusal(policy, createCall({ arguments: { value: { a: value } } }));
        return true;
      } catch (error) {
        return error instanceof VpError && error.code === 'POLICY_INVALID';
      }
    }),
    { numRuns: 300 },
  );
});

const callKey = { hubId: 'h', token: 't', person: 'p', tool: 'tickets__create' };

function reserve(
  limits: CallRateLimiter,
  overrides: object,
  nowMs: number,
  ...rules: Parameters<CallRateLimiter['reserve']>[0]
) {
  const reservation = limits.reserve(rules, { ...callKey, ...overrides }, nowMs);
  return 'refusal' in reservation ? reservation.refusal.reason : reservation.release;
}

t.test('calls per minute are counted per token and recover with time', async (t) => {
  const limits = new CallRateLimiter();
  const rule = { per: 'token', calls_a_minute: 2 } as const;
  t.type(reserve(limits, {}, 0, rule), 'function');
  t.type(reserve(limits, {}, 0, rule), 'function');
  t.match(reserve(limits, {}, 0, rule), /more than 2 calls a minute with this token/);
  t.type(reserve(limits, { token: 'other' }, 0, rule), 'function');
  t.type(reserve(limits, { hubId: 'other' }, 0, rule), 'function');
  t.match(reserve(limits, {}, 29_000, rule), /more than 2/);
  t.type(reserve(limits, {}, 31_000, rule), 'function');
  t.match(reserve(limits, {}, 31_000, rule), /more than 2/);
});

t.test('concurrent calls are counted until they end, each once', async (t) => {
  const limits = new CallRateLimiter();
  const rule = { per: 'person', at_once: 1 } as const;
  const release = reserve(limits, {}, 0, rule);
  t.match(reserve(limits, { token: 'other' }, 0, rule), /1 calls by this person are already in progress/);
  for (let times = 0; times < 2; times += 1) if (typeof release === 'function') release();
  const nextRelease = reserve(limits, {}, 0, rule);
  t.type(nextRelease, 'function');
  t.match(reserve(limits, {}, 0, rule), /in progress/);
});

t.test('a call that one limit refuses does not count for the others', async (t) => {
  const limits = new CallRateLimiter();
  const rules = [
    { per: 'person', calls_a_minute: 2 },
    { per: 'tool', at_once: 1, tools: 'tickets__*' },
  ] as const;
  const release = reserve(limits, {}, 0, ...rules);
  t.match(reserve(limits, { person: 'other' }, 0, ...rules), /to this tool/);
  t.match(reserve(limits, {}, 0, ...rules), /to this tool/);
  if (typeof release === 'function') release();
  t.type(reserve(limits, {}, 0, ...rules), 'function');
  t.type(reserve(limits, { person: 'other', tool: 'wiki__read' }, 0, ...rules), 'function');
});

t.test('fields are hidden by name in any notation and at any depth', async (t) => {
  const value = { Password: 1, deep: [{ 'API-Key': 'x', apikey_id: 2 }], 'a/b': { access_token: {} } };
  t.strictSame(findFieldPointers(value, normalizeFieldNames(['password', 'api_key', 'accessToken'])), [
    '/Password',
    '/deep/0/API-Key',
    '/a~1b/access_token',
  ]);
  const padding = ' _-'.repeat(1000);
  const padded = `Pass${padding}word`;
  const names = normalizeFieldNames(['password']);
  t.strictSame(findFieldPointers({ [padded]: 1, [`${padded}s`]: 2, pass: 3 }, names), [`/${padded}`]);
});
