import fc from 'fast-check';
import t from 'tap';
import { redacted, redactorOf } from '../../src/executor/redact.ts';
import { secretForms } from '../../src/executor/secret-forms.ts';

const secret = 'p@ss w/ "quotes" & <ümlaut>+%';
const { text, headers, start } = redactorOf([secret, 'token-1234567890']);

t.test('a secret is found as it is, and in every escaped form', async (t) => {
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
  for (const [name, form] of Object.entries(forms)) t.equal(text(`a ${form} z`), `a ${redacted} z`, name);
});

/** `letters` of `text` as JSON's \uXXXX. */
function escaped(text: string, letters: string, upper: boolean): string {
  return [...text]
    .map((letter) => {
      const hex = letter.charCodeAt(0).toString(16).padStart(4, '0');
      if (letters.includes(letter)) return `\\u${upper ? hex.toUpperCase() : hex}`;
      return JSON.stringify(letter).slice(1, -1);
    })
    .join('');
}

t.test('a secret is found as every writer of JSON escapes it', async (t) => {
  const token = `a+b/c&d<e>f'g"h=i\u00fc`;
  const redactor = redactorOf([token]);
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
      for (const one of [form, sloped, JSON.stringify(form).slice(1, -1), JSON.stringify(sloped).slice(1, -1)]) {
        t.equal(redactor.text(`{"a":"${one}"}`), `{"a":"${redacted}"}`, `${name}: ${one}`);
      }
    }
  }
  for (const one of ['\\u002B', '\\u002b']) t.equal(redactorOf(['ab+/=']).text(`ab${one}\\/=`), redacted);
  t.notMatch(redactor.start(`${'x'.repeat(20)}${escaped(token, '+', true)}`, 30), /a.u002B/, 'also at a cut');
});

t.test('a secret is found in hexadecimal', async (t) => {
  const hex = Buffer.from(secret).toString('hex');
  t.equal(text(`0x${hex}.`), `0x${redacted}.`);
  t.equal(text(hex.toUpperCase()), redacted);
});

t.test('no kind of secret has so many forms that searching them takes long', async (t) => {
  const count = (one: string): number => secretForms([one]).literals.length;
  t.ok(count('sk-live-0123456789abcdef') <= 5, 'letters and digits');
  t.ok(count('c2VjcmV0IQ+/c2VjcmV0IQ==') <= 60, 'base64');
  t.ok(count(`&<>'"+=/\`ü\\ %`) <= 400, 'everything');
});

t.test('a secret is found inside base64, wherever it stands in the encoded text', async (t) => {
  for (const before of ['', 'u:', 'user:', 'x', 'longer name:']) {
    const encoded = Buffer.from(`${before}${secret}after`).toString('base64');
    t.equal(text(`Basic ${encoded}, end`), `Basic ${redacted}, end`, before);
    const url = Buffer.from(`${before}${secret}`).toString('base64url');
    t.equal(text(`?a=${url}&b=1`).includes(url), false, before);
  }
});

t.test('a secret is replaced whole, whatever stands around it', async (t) => {
  const value = fc.string({ unit: fc.constantFrom(...'0123456789+/=&"\\é'), minLength: 4, maxLength: 40 });
  const around = fc.string({ unit: fc.constantFrom(...'xyz :,\n'), maxLength: 20 });
  fc.assert(
    fc.property(value, around, around, (one, before, after) => {
      t.equal(redactorOf([one]).text(before + one + after), before + redacted + after);
    }),
  );
});

t.test('a secret inside another one leaves nothing of the longer', async (t) => {
  const both = redactorOf(['abcd', 'abcdefgh']);
  t.equal(both.text('x abcdefgh abcd'), `x ${redacted} ${redacted}`);
});

t.test('a short value is redacted only where it stands alone', async (t) => {
  const short = redactorOf(['abc', '1']);
  t.equal(short.text('abc'), redacted);
  t.equal(short.text('{"a":"abc","b":"abcd","c":1}'), `{"a":"${redacted}","b":"abcd","c":1}`);
  t.strictSame(short.headers([['X-A', 'abc']]), [['X-A', redacted]]);
  t.equal(short.text('the abcd of 11'), 'the abcd of 11');
});

t.test('without secrets texts come back as they are', async (t) => {
  const none = redactorOf(['', '']);
  t.equal(none.text('…anything…'), '…anything…');
  t.equal(none.start('abcdef', 3), 'abc');
  t.strictSame(none.headers([['Cookie', 'a']]), [['Cookie', redacted]]);
});

t.test('headers that carry credentials are hidden whatever they hold', async (t) => {
  const names = ['Authorization', 'cookie', 'Set-Cookie', 'Proxy-Authorization', 'X-API-Key'];
  t.strictSame(
    headers(names.map((name) => [name, 'v'])),
    names.map((name) => [name, redacted]),
  );
  t.strictSame(
    headers([
      ['X-Echo', 'Bearer token-1234567890'],
      ['Accept', 'a/b'],
    ]),
    [
      ['X-Echo', `Bearer ${redacted}`],
      ['Accept', 'a/b'],
    ],
  );
});

t.test('the beginning of a cuttable secret before an ellipsis goes too', async (t) => {
  const { text } = redactorOf([secret, 'token-1234567890'], ['token-1234567890']);
  t.equal(text('"x token-12345…" (99 characters)'), `"x ${redacted}…" (99 characters)`);
  t.equal(text('tok… and token-… end'), `tok… and ${redacted}… end`);
});

t.test('no text tells whether a concealed secret begins so', async (t) => {
  for (const guess of ['token-…', 'token-123456789…', '"x token-12345…" (99 characters)']) t.equal(text(guess), guess);
});

t.test('a cut never leaves half a secret, and never half a character', async (t) => {
  const body = `${'x'.repeat(90)}token-1234567890${'y'.repeat(50)}`;
  for (let limit = 85; limit < 120; limit += 1) {
    const shown = start(body, limit);
    t.notMatch(shown, /token/, `${limit}`);
    t.ok(shown.startsWith('x'.repeat(85)));
  }
  t.equal(start('token-1234567890', 100), redacted);
  t.equal(redactorOf(['secret']).start(`ab😀cd`, 3), 'ab');
});

t.test('a long base64 word is searched in linear time', async (t) => {
  const word = 'QUJD'.repeat(250_000);
  t.equal(text(word), word);
  t.equal(text(word + Buffer.from(secret).toString('base64')), redacted);
});

t.test('a lone surrogate in a secret breaks nothing', async (t) => {
  t.equal(redactorOf(['abcd\ud800']).text('x abcd\ud800 y'), `x ${redacted} y`);
});
