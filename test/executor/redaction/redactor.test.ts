import fc from 'fast-check';
import t from 'tap';
import { createRedactor, redactionMark } from '../../../src/executor/redaction/redactor.ts';
import { buildSecretForms } from '../../../src/executor/redaction/secret-forms.ts';

const secret = 'p@ss w/ "quotes" & <ümlaut>+%';
const { redactText: text, redactHeaders: headers, truncate: start } = createRedactor([secret, 'token-1234567890']);

t.test('a secret is found verbatim and in every escaped form', async (t) => {
  const forms = {
    plain: secret,
    json: JSON.stringify(secret).slice(1, -1),
    'json in json': JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    'json with escaped slashes': JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    'json in ASCII': JSON.stringify(secret).slice(1, -1).replaceAll('ü', '\\u00fc'),
    url: encodeURIComponent(secret),
    form: new URLSearchParams({ a: secret }).toString().slice(2),
    'url in lower case': encodeURIComponent(secret).replaceAll(/%../g, (hex) => hex.toLowerCase()),
    html: 'p@ss w/ &quot;quotes&quot; &amp; &lt;ümlaut&gt;+%',
    'latin-1 reading of UTF-8': Buffer.from(secret).toString('latin1'),
  };
  for (const [name, form] of Object.entries(forms)) t.equal(text(`a ${form} z`), `a ${redactionMark} z`, name);
});

/** `text` with `letters` escaped as JSON's \uXXXX. */
function escaped(text: string, letters: string, upper: boolean): string {
  return [...text]
    .map((letter) => {
      const hex = letter.charCodeAt(0).toString(16).padStart(4, '0');
      if (letters.includes(letter)) return `\\u${upper ? hex.toUpperCase() : hex}`;
      return JSON.stringify(letter).slice(1, -1);
    })
    .join('');
}

t.test('a secret is found in the escaping of every JSON writer', async (t) => {
  const token = `a+b/c&d<e>f'g"h=i\u00fc`;
  const redactor = createRedactor([token]);
  const writers = {
    none: '',
    'Go, Rails': '&<>',
    Gson: "&<>'=",
    'PHP, all options': `&<>'"ü`,
    'PHP, tags': '<>ü',
    'Newtonsoft, for HTML': `&<>'"`,
    'System.Text.Json': `&<>'"+ü`,
  };
  for (const [name, letters] of Object.entries(writers)) {
    for (const upper of [false, true]) {
      const form = escaped(token, letters, upper);
      const sloped = form.replace('/', '\\/');
      for (const spelling of [form, sloped, JSON.stringify(form).slice(1, -1), JSON.stringify(sloped).slice(1, -1)]) {
        t.equal(redactor.redactText(`{"a":"${spelling}"}`), `{"a":"${redactionMark}"}`, `${name}: ${spelling}`);
      }
    }
  }
  for (const form of ['\\u002B', '\\u002b'])
    t.equal(createRedactor(['ab+/=']).redactText(`ab${form}\\/=`), redactionMark);
  t.notMatch(redactor.truncate(`${'x'.repeat(20)}${escaped(token, '+', true)}`, 30), /a.u002B/, 'also at a cut');
});

t.test('one letter that writers escape is enough for a secret to have all forms', async (t) => {
  for (const letter of `<>&'"+=\`ü/`) {
    const token = `token${letter}token`;
    const redactor = createRedactor([token]);
    for (const upper of [false, true]) {
      const form = letter === '/' ? token.replace('/', '\\/') : escaped(token, letter, upper);
      t.equal(redactor.redactText(`{"a":"${form}"}`), `{"a":"${redactionMark}"}`, form);
    }
  }
});

t.test('a secret is found in hexadecimal', async (t) => {
  const hex = Buffer.from(secret).toString('hex');
  t.equal(text(`0x${hex}.`), `0x${redactionMark}.`);
  t.equal(text(hex.toUpperCase()), redactionMark);
});

t.test('searching all forms of a secret is fast for every kind of secret', async (t) => {
  const count = (form: string): number => buildSecretForms([form]).literals.length;
  t.ok(count('sk-live-0123456789abcdef') <= 5, 'letters and digits');
  t.ok(count('c2VjcmV0IQ+/c2VjcmV0IQ==') <= 60, 'base64');
  t.ok(count(`&<>'"+=/\`ü\\ %`) <= 400, 'everything');
});

t.test('a secret is found within base64 at every alignment', async (t) => {
  for (const prefix of ['', 'u:', 'user:', 'x', 'longer name:']) {
    const encoded = Buffer.from(`${prefix}${secret}after`).toString('base64');
    t.equal(text(`Basic ${encoded}, end`), `Basic ${redactionMark}, end`, prefix);
    const url = Buffer.from(`${prefix}${secret}`).toString('base64url');
    t.equal(text(`?a=${url}&b=1`).includes(url), false, prefix);
  }
});

t.test('a secret is replaced entirely, whatever surrounds it', async (t) => {
  const value = fc.string({ unit: fc.constantFrom(...'0123456789+/=&"\\é'), minLength: 4, maxLength: 40 });
  const context = fc.string({ unit: fc.constantFrom(...'xyz :,\n'), maxLength: 20 });
  fc.assert(
    fc.property(value, context, context, (form, prefix, after) => {
      t.equal(createRedactor([form]).redactText(prefix + form + after), prefix + redactionMark + after);
    }),
  );
});

t.test('a secret contained in another one leaves nothing of the longer one', async (t) => {
  const both = createRedactor(['abcd', 'abcdefgh']);
  t.equal(both.redactText('x abcdefgh abcd'), `x ${redactionMark} ${redactionMark}`);
});

t.test('a short value is redacted only as an entire value', async (t) => {
  const short = createRedactor(['abc', '1']);
  t.equal(short.redactText('abc'), redactionMark);
  t.equal(short.redactText('{"a":"abc","b":"abcd","c":1}'), `{"a":"${redactionMark}","b":"abcd","c":1}`);
  t.strictSame(short.redactHeaders([['X-A', 'abc']]), [['X-A', redactionMark]]);
  t.equal(short.redactText('the abcd of 11'), 'the abcd of 11');
});

t.test('without secrets texts are unchanged', async (t) => {
  const none = createRedactor(['', '']);
  t.equal(none.redactText('…anything…'), '…anything…');
  t.equal(none.truncate('abcdef', 3), 'abc');
  t.strictSame(none.redactHeaders([['Cookie', 'a']]), [['Cookie', redactionMark]]);
});

t.test('headers that carry credentials are always hidden', async (t) => {
  const names = ['Authorization', 'cookie', 'Set-Cookie', 'Proxy-Authorization', 'X-API-Key'];
  t.strictSame(
    headers(names.map((name) => [name, 'v'])),
    names.map((name) => [name, redactionMark]),
  );
  t.strictSame(
    headers([
      ['X-Echo', 'Bearer token-1234567890'],
      ['Accept', 'a/b'],
    ]),
    [
      ['X-Echo', `Bearer ${redactionMark}`],
      ['Accept', 'a/b'],
    ],
  );
});

t.test('the beginning of a cuttable secret before an ellipsis is redacted', async (t) => {
  const { redactText: text } = createRedactor([secret, 'token-1234567890'], ['token-1234567890']);
  t.equal(text('"x token-12345…" (99 characters)'), `"x ${redactionMark}…" (99 characters)`);
  t.equal(text('tok… and token-… end'), `tok… and ${redactionMark}… end`);
});

t.test('no text reveals the beginning of a concealed secret', async (t) => {
  for (const guess of ['token-…', 'token-123456789…', '"x token-12345…" (99 characters)']) t.equal(text(guess), guess);
});

t.test('a cut never splits a secret or a character', async (t) => {
  const body = `${'x'.repeat(90)}token-1234567890${'y'.repeat(50)}`;
  for (let limit = 85; limit < 120; limit += 1) {
    const redacted = start(body, limit);
    t.notMatch(redacted, /token/, `${limit}`);
    t.ok(redacted.startsWith('x'.repeat(85)));
  }
  t.equal(start('token-1234567890', 100), redactionMark);
  t.equal(createRedactor(['secret']).truncate(`ab😀cd`, 3), 'ab');
});

t.test('a long base64 word is searched in linear time', async (t) => {
  const word = 'QUJD'.repeat(250_000);
  t.equal(text(word), word);
  t.equal(text(word + Buffer.from(secret).toString('base64')), redactionMark);
});

t.test('a lone surrogate in a secret is handled', async (t) => {
  t.equal(createRedactor(['abcd\ud800']).redactText('x abcd\ud800 y'), `x ${redactionMark} y`);
});
