import t from 'tap';
import { escapeUnsafe, escapeUnsafeLine } from '../../src/report/escape-unsafe.ts';

t.test('terminal control characters are escaped', async (t) => {
  t.equal(escapeUnsafe('a\u001b[2Jb'), 'a\\u001b[2Jb');
  t.equal(escapeUnsafe('bell\u0007 del\u007f csi\u009b31m'), 'bell\\u0007 del\\u007f csi\\u009b31m');
  t.equal(escapeUnsafe('\u0000'), '\\u0000');
});

t.test('direction control characters are escaped', async (t) => {
  t.equal(escapeUnsafe('user\u202e\u2066txt'), 'user\\u202e\\u2066txt');
});

t.test('a carriage return cannot overwrite the line', async (t) => {
  t.equal(escapeUnsafe('real\rfake'), 'real\\rfake');
  t.equal(escapeUnsafe('one\r\ntwo'), 'one\ntwo');
});

t.test('line feeds and tabs stay, unless it must be one line', async (t) => {
  t.equal(escapeUnsafe('a\tb\nc'), 'a\tb\nc');
  t.equal(escapeUnsafeLine('a\tb\nc'), 'a\\tb\\nc');
});

t.test('letters of every script stay, lone surrogates are replaced', async (t) => {
  t.equal(escapeUnsafe('Grüße 日本 🎉'), 'Grüße 日本 🎉');
  t.equal(escapeUnsafe('x\ud800y'), 'x\ufffdy');
});
