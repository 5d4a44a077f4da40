/** The text of a member as it was sent: whatever the text around it, and never where two readers could disagree. */
import fc from 'fast-check';
import t from 'tap';
import { findSentMembers, hasIndexNames, joinMembers, stringifyAsSent } from '../../src/json/sent-text.ts';

/** JSON text with white space and escapes that a serializer would not write; `parts` of random choices. */
function writeLoosely(value: unknown, next: () => number): string {
  const space = (): string => ['', '', ' ', '\n\t', '\r\n  '][next() % 5] ?? '';
  const writeText = (text: string): string =>
    next() % 3 === 0
      ? `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(text);
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Array.isArray(value)
    ? value.map((member) => `${space()}${writeLoosely(member, next)}${space()}`)
    : Object.entries(value).map(
        ([name, member]) => `${space()}${writeText(name)}${space()}:${space()}${writeLoosely(member, next)}${space()}`,
      );
  return Array.isArray(value) ? `[${members.join(',')}${space()}]` : `{${members.join(',')}${space()}}`;
}

const choices = fc.infiniteStream(fc.nat(1000));

t.test('an object is found in any JSON text, and its members are the text that was sent', async () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      choices,
      (args, other, stream) => {
        const next = (): number => Number(stream.next().value);
        const text = writeLoosely(args, next);
        const { params: _params, ...around } = other;
        const { arguments: _arguments, ...siblings } = other;
        const inner = `${JSON.stringify(siblings).slice(0, -1)}${Object.keys(siblings).length > 0 ? ',' : ''}"arguments":${text}}`;
        const json = `${JSON.stringify(around).slice(0, -1)}${Object.keys(around).length > 0 ? ' , ' : ' '}"params" : ${inner}}`;
        const members = findSentMembers(json, ['params', 'arguments']) ?? [];
        const joined = joinMembers(members);
        if (JSON.stringify(JSON.parse(joined)) !== JSON.stringify(JSON.parse(text))) throw new Error(joined);
        return members.every(({ text: member, value }) => text.includes(member) && member.endsWith(value));
      },
    ),
    { numRuns: 500 },
  );
});

t.test('a name that is there twice is noticed at every level and however it is written', async (t) => {
  const path = ['params', 'arguments'];
  t.same(
    findSentMembers('{"params":{"arguments":{"b":1.0,"10":2,"a":[]}}}', path)?.map(({ text }) => text),
    ['"b":1.0', '"10":2', '"a":[]'],
    'in the order in which they were sent',
  );
  for (const json of [
    '{"params":{"arguments":{"a":1,"a":2}}}',
    '{"params":{"arguments":{"a":1,"\\u0061":2}}}',
    '{"params":{"arguments":{"x":[{"deep":{"a":1,"b":2,"a":3}}]}}}',
    '{"params":{"arguments":{}},"params":{"arguments":{}}}',
    '{"params":{"arguments":{},"arguments":{"a":1}}}',
    '{"params":{"arguments":{"a":1}},"other":{"x":1,"x":2}}',
  ])
    t.equal(findSentMembers(json, path), undefined, json);
  for (const json of ['[]', '1', '{"params":[{"arguments":{}}]}', '{"params":{"arguments":[1]}}', '{}'])
    t.equal(findSentMembers(json, path), undefined, json);
  t.same(findSentMembers(' { } ', []), []);
  t.same(findSentMembers(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, [])?.length, 1, 'nested deep');
});

t.test('names that would change their places are noticed', async (t) => {
  t.ok(hasIndexNames('{"b":1,"10":2}'));
  t.ok(hasIndexNames('{"b":1,"2" :2}'));
  t.notOk(hasIndexNames('{"b":10,"c":"2"}'));
});

t.test('an object with members of another keeps their order, and that of their metadata', async (t) => {
  const text = '{"content": [],"structured":{"2":1,"1":2},"_meta":{"a":{"10":1,"9":2}},"old":{"2":1,"1":2}}';
  const { old: _old, ...received } = JSON.parse(text);
  const value = { ...received, resultType: 'complete', _meta: { server: 'hub', ...received._meta } };
  const added = '"resultType":"complete"';
  const sent = '{"content": [],"structured":{"2":1,"1":2},"_meta":{"server":"hub","a":{"10":1,"9":2}},';
  t.equal(stringifyAsSent(value, received, text), `${sent}${added}}`);
  const other = { ...received, structured: { n: 1, none: undefined }, none: undefined };
  t.match(stringifyAsSent(other, received, text), '"structured":{"n":1},');
  const doubled = '{"2":1,"1":2,"1":2}';
  t.equal(stringifyAsSent(JSON.parse(doubled), JSON.parse(doubled), doubled), '{"1":2,"2":1}', 'readers disagree');
  t.equal(stringifyAsSent({ a: 1 }, { a: 1 }, '{ "a": 1 }'), '{"a":1}', 'written again where that changes nothing');
});
