import t from 'tap';
import { opaqueBody, readBeginning, readBody } from '../../src/executor/body.ts';

const bytes = (text: string) => Buffer.from(text);

t.test('JSON is read whatever the content type says', async (t) => {
  t.strictSame(readBody(bytes('{"a":[1,null]}'), 'text/html').observed, { kind: 'json', value: { a: [1, null] } });
  t.strictSame(readBody(bytes(' 42 '), undefined).observed, { kind: 'json', value: 42 });
  t.strictSame(readBody(bytes('null'), undefined).observed, { kind: 'json', value: null });
});

t.test('a byte order mark is no part of the text', async (t) => {
  t.strictSame(readBody(bytes('\ufeff{"a":1}'), undefined), {
    observed: { kind: 'json', value: { a: 1 } },
    text: '{"a":1}',
  });
});

t.test('no bytes are an empty body', async (t) => {
  t.strictSame(readBody(Buffer.alloc(0), 'application/json'), { observed: { kind: 'empty' }, text: '' });
});

t.test('what is not JSON is told in plain words, without repeating the body', async (t) => {
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
    const { observed } = readBody(bytes(body), undefined);
    t.match(observed, { kind: 'not_json', excerpt: body });
    if (observed.kind === 'not_json') t.match(observed.problem, problem, body);
  }
});

t.test('a long body that is not JSON shows its beginning', async (t) => {
  const { observed, text } = readBody(bytes('<'.repeat(10_000)), undefined);
  t.match(observed, { kind: 'not_json', excerpt: '<'.repeat(400) });
  t.equal(text?.length, 10_000);
});

t.test('other charsets are read where they are named', async (t) => {
  const latin = Buffer.from('{"a":"é"}', 'latin1');
  t.strictSame(readBody(latin, 'application/json; charset=iso-8859-1').observed, { kind: 'json', value: { a: 'é' } });
  t.strictSame(readBody(latin, 'application/json; charset="windows-1252"').text, '{"a":"é"}');
  const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
  t.equal(readBody(shiftJis, 'text/plain; charset=Shift_JIS').text, '日本');
});

t.test('bytes that are no text are shown in hexadecimal', async (t) => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  t.strictSame(readBody(png, 'image/png'), {
    observed: { kind: 'not_json', problem: 'it is not text in UTF-8', excerpt: 'bytes 89 50 4e 47 0d 0a 1a 0a' },
    text: undefined,
  });
  t.equal(readBody(png, 'text/plain; charset=no-such').text, undefined);
  t.match(opaqueBody(Buffer.alloc(100), 'x'), { excerpt: /^bytes( 00){24} …$/ });
});

t.test('deeply nested JSON is read or told, and breaks nothing', async (t) => {
  const deep = 200_000;
  const { observed } = readBody(bytes('['.repeat(deep) + ']'.repeat(deep)), undefined);
  t.ok(['json', 'not_json'].includes(observed.kind));
  t.equal(readBody(bytes('['.repeat(deep)), undefined).observed.kind, 'not_json');
});

t.test('keys that are special in JavaScript are only keys', async (t) => {
  const { observed } = readBody(bytes('{"__proto__":{"polluted":1}}'), undefined);
  t.equal(observed.kind === 'json' && Object.hasOwn(Object(observed.value), '__proto__'), true);
  t.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

t.test('the beginning of a body that broke off may end within a character', async (t) => {
  t.match(readBeginning(bytes('né').subarray(0, 2), 'it broke off'), {
    observed: { kind: 'not_json', problem: 'it broke off', excerpt: 'n' },
    text: 'n',
  });
  t.equal(readBeginning(Buffer.from([0xff, 0xfe]), 'x').text, undefined);
  t.equal(readBeginning(Buffer.alloc(0), 'x').text, '');
});
