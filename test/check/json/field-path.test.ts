import fc from 'fast-check';
import t from 'tap';
import { resolveField } from '../../../src/check/json/field-path.ts';
import type { Json } from '../../../src/check/json/json.ts';
import { parseField } from '../../../src/check/json/parse-field-path.ts';

function find(text: string, body: Json): { value: Json; pointer: string } | undefined {
  const path = parseField(text);
  if ('problem' in path) throw new Error(path.problem);
  return resolveField(body, path);
}

t.test('dots and numbers select nested values', async (t) => {
  const body = { count: 3, database: { status: 'ok' }, data: [{ id: 7, tags: ['x', 'y'] }] };
  t.same(find('count', body), { value: 3, pointer: '/count' });
  t.same(find('database.status', body), { value: 'ok', pointer: '/database/status' });
  t.same(find('data[0].id', body), { value: 7, pointer: '/data/0/id' });
  t.same(find('data[0].tags[1]', body), { value: 'y', pointer: '/data/0/tags/1' });
  t.same(find('data.0.id', body), { value: 7, pointer: '/data/0/id' });
  t.same(find('[1]', ['a', 'b']), { value: 'b', pointer: '/1' });
  t.same(find('["database"]["status"]', body), { value: 'ok', pointer: '/database/status' });
});

t.test('null is found, and a missing value is not', async (t) => {
  t.same(find('a.b', { a: { b: null } }), { value: null, pointer: '/a/b' });
  for (const path of ['a.b.c', 'a.c', 'b', 'a[0]', 'a.b[0]', 'a["b"].c']) {
    t.equal(find(path, { a: { b: null } }), undefined, path);
  }
  t.equal(find('a[2]', { a: [1, 2] }), undefined);
  t.equal(find('a.2', { a: [1, 2] }), undefined);
  t.equal(find('a', 'text'), undefined);
  t.equal(find('a', null), undefined);
});

t.test('a key that contains a dot takes precedence over the nested reading, at every step', async (t) => {
  t.same(find('a.b', { 'a.b': 1, a: { b: 2 } }), { value: 1, pointer: '/a.b' });
  t.same(find('x.a.b', { x: { 'a.b': 1, a: { b: 2 } } }), { value: 1, pointer: '/x/a.b' });
  t.same(find('x.a.b.c', { x: { 'a.b': { c: 1 }, a: { b: { c: 2 } } } }), { value: 1, pointer: '/x/a.b/c' });
  t.same(find('a.b[0].c.d', { 'a.b': [{ 'c.d': 1 }] }), { value: 1, pointer: '/a.b/0/c.d' });
});

t.test('the nested reading is used where the key with a dot leads nowhere', async (t) => {
  t.same(find('a.b.c', { 'a.b': {}, a: { b: { c: 2 } } }), { value: 2, pointer: '/a/b/c' });
});

t.test('a quoted key is taken as it is', async (t) => {
  t.same(find('["a.b"]', { 'a.b': 1, a: { b: 2 } }), { value: 1, pointer: '/a.b' });
  t.equal(find('["a.b"]', { a: { b: 2 } }), undefined);
  t.same(find('x["a b/~"].c', { x: { 'a b/~': { c: 1 } } }), { value: 1, pointer: '/x/a b~1~0/c' });
  t.same(find('["\\"\\u00e9"]', { '"é': 1 }), { value: 1, pointer: '/"é' });
  t.equal(find('["0"]', ['a']), undefined);
});

t.test('an index selects from lists only, a number as a name from lists and objects', async (t) => {
  t.equal(find('a[0]', { a: { 0: 'x' } }), undefined);
  t.same(find('a.0', { a: { 0: 'x' } }), { value: 'x', pointer: '/a/0' });
});

t.test('an invalid path is reported with its position and a fix', async (t) => {
  const problem = (text: string): unknown => {
    const path = parseField(text);
    return 'problem' in path ? [path.problem, text.slice(path.start, path.end)] : path;
  };
  t.same(problem(''), ['a name is missing', '']);
  t.same(problem('a.'), ['a name is missing', '']);
  t.same(problem('.a'), ['a name is missing', '.']);
  t.same(problem('a..b'), ['a name is missing', '.']);
  t.same(problem('a[0]b'), ['a dot is missing', 'b']);
  t.same(problem('a[-1]'), ['`[-1]` is neither an element nor a quoted key', '[-1]']);
  t.same(problem('a[x]'), ['`[x]` is neither an element nor a quoted key', '[x]']);
  t.same(problem("a['x']"), ["`['x']` is neither an element nor a quoted key", "['x']"]);
  t.same(problem('a["x]'), ['`["x]` is neither an element nor a quoted key', '["x]']);
  t.same(problem('a["\\x"]'), ['`["\\x"]` is neither an element nor a quoted key', '["\\x"]']);
  t.same(problem('a['), ['`[` is neither an element nor a quoted key', '[']);
  t.same(problem('a]'), ['a dot is missing', ']']);
  t.same(problem('"a"'), ['`"` cannot stand in a name', '"']);
  t.same(problem('$'), ['`$` is no field', '$']);
  t.same(problem('$[0]'), ['`$` is no field', '$']);
  t.same(problem('a'.repeat(1001)), ['it has more than 1000 characters', 'a'.repeat(1001)]);
  const deep = Array.from({ length: 65 }, () => 'a').join('.');
  t.same(problem(deep), ['it has more than 64 steps', deep]);
  t.notOk('problem' in parseField('$ref'));
});

t.test('every value of any body is found by its quoted path', async (t) => {
  const walk = (value: Json, path: string): [string, Json][] => {
    if (typeof value !== 'object' || value === null) return [[path, value]];
    const below = Array.isArray(value)
      ? value.map((item, index): [string, Json] => [`[${index}]`, item])
      : Object.entries(value).map(([key, item]): [string, Json] => [`[${JSON.stringify(key)}]`, item]);
    return below.flatMap(([step, item]) => walk(item, path + step));
  };
  const isJson = (value: unknown): value is Json => value !== undefined;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      if (!isJson(value)) return;
      for (const [path, leaf] of walk(value, '')) {
        if (path !== '') t.equal(find(path, value)?.value, leaf, path);
      }
    }),
    { numRuns: 50 },
  );
});

t.test('names joined by dots find what nesting by plain names has', async () => {
  const name = fc.stringMatching(/^[a-z]{1,3}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 31 }), (names, cuts) => {
      const keys: string[] = [];
      for (const [index, each] of names.entries()) {
        const last = keys.at(-1);
        if (last === undefined || (cuts >> index) & 1) keys.push(each);
        else keys[keys.length - 1] = `${last}.${each}`;
      }
      const body = keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), 'leaf');
      return find(names.join('.'), body)?.value === 'leaf';
    }),
  );
});
