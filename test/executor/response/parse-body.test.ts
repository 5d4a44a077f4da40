import t from 'tap';
import { parseBody, parseTruncatedBody, toOpaqueBody } from '../../../src/executor/response/parse-body.ts';

const bytes = (text: string) => Buffer.from(text);

t.test('JSON is parsed whatever the content type says', async (t) => {
  t.strictSame(parseBody(bytes('{"a":[1,null]}'), 'text/html').observed, { kind: 'json', value: { a: [1, null] } });
  t.strictSame(parseBody(bytes(' 42 '), undefined).observed, { kind: 'json', value: 42 });
  t.strictSame(parseBody(bytes('null'), undefined).observed, { kind: 'json', value: null });
});

t.test('a byte order mark is not part of the text', async (t) => {
  t.strictSame(parseBody(bytes('\ufeff{"a":1}'), undefined), {
    observed: { kind: 'json', value: { a: 1 } },
    text: '{"a":1}',
  });
});

t.test('zero bytes are an empty body', async (t) => {
  t.strictSame(parseBody(Buffer.alloc(0), 'application/json'), { observed: { kind: 'empty' }, text: '' });
});

t.test('malformed JSON is described without repeating the body', async (t) => {
  const problems = {
    '<html>': "unexpected token '<'",
    '{"a":1,}': 'expected double-quoted property name at line 1 column 8',
    '{"a"\n 1}': "expected ':' after property name at line 2 column 2",
    '[1,2': "expected ',' or ']' after array element at line 1 column 5",
    '{': "expected property name or '}' at line 1 column 2",
    '{"a":1} x': 'unexpected non-whitespace character after JSON at line 1 column 9',
    nul: 'unexpected end of JSON input',
  };
  for (const [body, problem] of Object.entries(problems)) {
    const { observed } = parseBody(bytes(body), undefined);
    t.match(observed, { kind: 'not_json', excerpt: body });
    if (observed.kind === 'not_json') t.match(observed.problem, problem, body);
  }
});

t.test('a key that occurs twice with different values is not judged: readers disagree on which counts', async (t) => {
  const bodies = {
    '{"state":"failed","state":"ok"}': 'state',
    '{"data":[{"id":1},{"id":1,"n":{"a b":[1],"a\\u0020b":[2]}}]}': 'a b',
    '{"a":"\\"a\\":1","b":1e400,"b":-0}': 'b',
    '{"__proto__":1,"__proto__":{}}': '__proto__',
    '[{"a":{"x":1}},{"a":{"x":1},"a":{"x":1},"a":{"x":[]}}]': 'a',
  };
  for (const [body, key] of Object.entries(bodies)) {
    const problem = `the key \`${key}\` occurs twice in one object, with different values`;
    t.match(parseBody(bytes(body), undefined).observed, { kind: 'not_json', problem, excerpt: body });
  }
});

t.test('a key that occurs twice with one value, or in different objects, changes nothing', async (t) => {
  const bodies = [
    '{"a":1, "a" : 1}',
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":1e400}},"b":":","c":"\\":"}',
    '{"": 1.0, "a,b": "}", "c": ["a", "a", {"a": []}]}',
  ];
  for (const body of bodies) t.equal(parseBody(bytes(body), undefined).observed.kind, 'json', body);
});

t.test('a long body that is not JSON has an excerpt', async (t) => {
  const { observed, text } = parseBody(bytes('<'.repeat(10_000)), undefined);
  t.match(observed, { kind: 'not_json', excerpt: '<'.repeat(400) });
  t.equal(text?.length, 10_000);
});

t.test('other charsets are decoded when they are named', async (t) => {
  const latin = Buffer.from('{"a":"é"}', 'latin1');
  t.strictSame(parseBody(latin, 'application/json; charset=iso-8859-1').observed, { kind: 'json', value: { a: 'é' } });
  t.strictSame(parseBody(latin, 'application/json; charset="windows-1252"').text, '{"a":"é"}');
  const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
  t.equal(parseBody(shiftJis, 'text/plain; charset=Shift_JIS').text, '日本');
});

t.test('a text is read in the charset that its header names, although it is valid in UTF-8 too', async (t) => {
  const page = Buffer.from('<p>café</p>');
  t.equal(parseBody(page, 'text/html; charset=ISO-8859-1').text, '<p>cafÃ©</p>', 'as a browser shows it');
  t.equal(parseBody(Buffer.from('<p>ok</p>', 'utf16le'), 'text/html; charset=utf-16le').text, '<p>ok</p>');
  t.equal(parseBody(Buffer.from('日本'), 'text/plain; charset=EUC-JP').text, undefined, 'not valid in it');
  for (const type of ['text/html', 'text/html; charset=UTF-8', 'text/html; charset=utf8', 'text/html; charset=no-such'])
    t.equal(parseBody(page, type).text, '<p>café</p>', type);
  const marked = Buffer.from('\ufeff<p>café</p>');
  t.equal(parseBody(marked, 'text/html; charset=ISO-8859-1').text, '<p>café</p>', 'a byte order mark counts more');
  const json = parseBody(Buffer.from('{"a":"é"}'), 'application/json; charset=ISO-8859-1');
  t.strictSame(json.observed, { kind: 'json', value: { a: 'é' } }, 'JSON is UTF-8');
});

t.test('bytes that are not text are shown in hexadecimal', async (t) => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  t.strictSame(parseBody(png, 'image/png'), {
    observed: { kind: 'not_json', problem: 'it is not text in UTF-8', excerpt: 'bytes 89 50 4e 47 0d 0a 1a 0a' },
    text: undefined,
  });
  t.equal(parseBody(png, 'text/plain; charset=no-such').text, undefined);
  t.match(toOpaqueBody(Buffer.alloc(100), 'x'), { excerpt: /^bytes( 00){24} …$/ });
});

t.test('deeply nested JSON is parsed or reported, and does not crash', async (t) => {
  const deep = 200_000;
  const { observed } = parseBody(bytes('['.repeat(deep) + ']'.repeat(deep)), undefined);
  t.ok(['json', 'not_json'].includes(observed.kind));
  t.equal(parseBody(bytes('['.repeat(deep)), undefined).observed.kind, 'not_json');
});

t.test('keys that are special in JavaScript are ordinary keys', async (t) => {
  const { observed } = parseBody(bytes('{"__proto__":{"polluted":1}}'), undefined);
  t.equal(observed.kind === 'json' && Object.hasOwn(Object(observed.value), '__proto__'), true);
  t.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

t.test('the beginning of a body that broke off may end within a character', async (t) => {
  t.match(parseTruncatedBody(bytes('né').subarray(0, 2), 'it broke off'), {
    observed: { kind: 'not_json', problem: 'it broke off', excerpt: 'n' },
    text: 'n',
  });
  t.equal(parseTruncatedBody(Buffer.from([0xff, 0xfe]), 'x').text, undefined);
  t.equal(parseTruncatedBody(Buffer.alloc(0), 'x').text, '');
});
