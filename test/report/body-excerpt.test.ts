import t from 'tap';
import { buildBodyExcerpt } from '../../src/report/body-excerpt.ts';

function excerpt(body: string, pointer: string | null): string[] {
  return buildBodyExcerpt(body, pointer).map(({ text, marked }) => `${marked ? '>' : ' '} ${text}`);
}

t.test('the judged value is marked between its neighbours', async (t) => {
  const body = JSON.stringify({ data: [1, 2], count: 0, currentPage: 1, perPage: 20, totalPages: 0 });
  t.same(excerpt(body, '/count'), [
    '  {',
    '    "data": [… 2 items],',
    '>   "count": 0,',
    '    "currentPage": 1,',
    '    … 2 more',
    '  }',
  ]);
});

t.test('the path to a deep value is laid out, everything else is reduced to its size', async (t) => {
  const body = JSON.stringify({ a: 1, database: { host: 'db', status: { code: 5 }, pool: {} }, z: {} });
  t.same(excerpt(body, '/database/status/code'), [
    '  {',
    '    "a": 1,',
    '    "database": {',
    '      "host": "db",',
    '      "status": {',
    '>       "code": 5',
    '      },',
    '      "pool": {}',
    '    },',
    '    "z": {}',
    '  }',
  ]);
});

t.test('of a body without line breaks the first 200 characters are displayed', async (t) => {
  t.same(excerpt('x'.repeat(5000), null), [`  ${'x'.repeat(200)}…`, '  …']);
  t.same(excerpt(`${'y'.repeat(201)}\nz`, null), [`  ${'y'.repeat(200)}…`, '  z']);
  t.same(excerpt('x'.repeat(200), null), [`  ${'x'.repeat(200)}`]);
  t.ok(excerpt(`${'x'.repeat(199)}😀${'x'.repeat(99)}`, null)[0]?.isWellFormed());
});

t.test('an item of a list is found by its index', async (t) => {
  t.same(excerpt('[10,11,12,13,14]', '/3'), ['  [', '    … 2 before', '    12,', '>   13,', '    14', '  ]']);
});

t.test('the whole body may be the value', async (t) => {
  t.same(excerpt('{"a":1,"b":[]}', ''), ['> {… 2 fields}']);
  t.same(excerpt('"text"', ''), ['> "text"']);
});

t.test('keys with slashes and tildes are found (RFC 6901)', async (t) => {
  t.same(excerpt('{"a/b":1,"c~d":2}', '/a~1b')[1], '>   "a/b": 1,');
  t.same(excerpt('{"a/b":1,"c~d":2}', '/c~0d')[2], '>   "c~d": 2');
});

t.test('without a valid pointer the top of the body is displayed', async (t) => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, index])));
  t.equal(excerpt(body, null).length, 11);
  t.same(excerpt(body, null).at(-2), '    … 4 more');
  t.same(excerpt(body, '/nope'), excerpt(body, null));
});

t.test('numbers are printed as they were sent', async (t) => {
  t.same(excerpt('{"id":12345678901234567890,"x":1.0,"y":1e400}', '/id').slice(1, 3), [
    '>   "id": 12345678901234567890,',
    '    "x": 1.0,',
  ]);
});

t.test('long texts are truncated, with their length', async (t) => {
  const [, line = ''] = excerpt(JSON.stringify({ text: 'x'.repeat(5000) }), '/text');
  t.ok(line.length < 120);
  t.match(line, '… 5000 characters');
});

t.test('a body that is not complete JSON is displayed from its beginning', async (t) => {
  t.same(excerpt('<html>\n<body>', '/a'), ['  <html>', '  <body>']);
  const cut = excerpt(`{"data":[${'1,'.repeat(2000)}`, '/data');
  t.equal(cut.length, 2);
  t.same(cut.at(-1), '  …');
  t.equal(excerpt('line\n'.repeat(100), null).length, 11);
});

t.test('a deeply nested body is handled', async (t) => {
  const depth = 3000;
  const body = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  t.ok(excerpt(body, '/a'.repeat(depth)).length < 100);
});

t.test('a huge body is not laid out', async (t) => {
  const lines = excerpt(`[${'1,'.repeat(600_000)}1]`, '/7');
  t.equal(lines.length, 2);
});
