import t from 'tap';
import { escapeMarkup, markup, trusted } from '../../src/report/markup.ts';
import { problemInMarkup } from './well-formed.ts';

t.test('values are escaped, in text and in attributes', async (t) => {
  const evil = `</pre><script>alert("1")</script> & 'x'`;
  const { text } = markup`<p title="${evil}">${evil}</p>`;
  t.notMatch(text, '<script');
  t.notMatch(text, `'`);
  t.equal(problemInMarkup(text), undefined);
});

t.test('markup inside markup is not escaped again', async (t) => {
  const inner = markup`<b>${'<'}</b>`;
  t.equal(markup`<p>${inner}${[inner, inner]}</p>`.text, '<p><b>&lt;</b><b>&lt;</b><b>&lt;</b></p>');
  t.equal(markup`${trusted('<hr>')}`.text, '<hr>');
});

t.test('numbers are written, nothing is written as nothing', async (t) => {
  t.equal(markup`${0}|${null}|${undefined}|${''}`.text, '0|||');
});

t.test('characters that XML cannot hold become visible', async (t) => {
  t.equal(escapeMarkup('\u0000\u001b\ufffe\ud800'), '\\u0000\\u001b\\ufffe\ufffd');
});

t.test('the check of markup itself finds what is wrong', async (t) => {
  t.match(problemInMarkup('<a><b></a></b>'), 'closes nothing');
  t.match(problemInMarkup('<a>'), 'not closed');
  t.match(problemInMarkup('<a>&</a>'), 'stray &');
  t.match(problemInMarkup('<a b=c>x</a>'), 'stray <');
});
