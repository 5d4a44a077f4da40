import t from 'tap';
import { escapeMarkup, markup, trustedMarkup } from '../../src/report/markup.ts';
import { findMarkupProblem } from './markup-problem.ts';

t.test('values are escaped, in text and in attributes', async (t) => {
  const evil = `</pre><script>alert("1")</script> & 'x'`;
  const { text } = markup`<p title="${evil}">${evil}</p>`;
  t.notMatch(text, '<script');
  t.notMatch(text, `'`);
  t.equal(findMarkupProblem(text), undefined);
});

t.test('markup inside markup is not escaped again', async (t) => {
  const inner = markup`<b>${'<'}</b>`;
  t.equal(markup`<p>${inner}${[inner, inner]}</p>`.text, '<p><b>&lt;</b><b>&lt;</b><b>&lt;</b></p>');
  t.equal(markup`${trustedMarkup('<hr>')}`.text, '<hr>');
});

t.test('numbers are written, null and undefined are omitted', async (t) => {
  t.equal(markup`${0}|${null}|${undefined}|${''}`.text, '0|||');
});

t.test('characters that XML does not allow are escaped', async (t) => {
  t.equal(escapeMarkup('\u0000\u001b\ufffe\ud800'), '\\u0000\\u001b\\ufffe\ufffd');
});

t.test('findMarkupProblem finds malformed markup', async (t) => {
  t.match(findMarkupProblem('<a><b></a></b>'), 'closes nothing');
  t.match(findMarkupProblem('<a>'), 'not closed');
  t.match(findMarkupProblem('<a>&</a>'), 'stray &');
  t.match(findMarkupProblem('<a b=c>x</a>'), 'stray <');
});
