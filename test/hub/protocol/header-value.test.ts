/** Header values that repeat names and arguments: nothing in them can end the header, and each is read back as it was. */
import t from 'tap';
import { decodeHeaderValue, encodeHeaderValue } from '../../../src/hub/protocol/header-value.ts';

t.test('printable ASCII is sent as it is', async (t) => {
  for (const value of ['', 'one__tool', 'a b', '~!"#', '=?utf-8?x?=']) t.equal(encodeHeaderValue(value), value);
});

t.test('everything else is encoded as printable ASCII and decoded to the same value', async (t) => {
  for (const value of ['a\r\nX-Forged: 1', ' padded ', 'naïve', '日本語', '\u0000', '=?base64?YQ==?=', 'tab\there']) {
    const encoded = encodeHeaderValue(value);
    t.match(encoded, /^=\?base64\?[A-Za-z0-9+/=]*\?=$/, JSON.stringify(value));
    t.equal(decodeHeaderValue(encoded), value);
  }
});

t.test('malformed Base64 has no value', async (t) => {
  for (const value of ['=?base64?*?=', '=?base64?YQ?=', '=?base64?YQ==YQ==?='])
    t.equal(decodeHeaderValue(value), undefined);
  t.equal(decodeHeaderValue('plain'), 'plain');
});
