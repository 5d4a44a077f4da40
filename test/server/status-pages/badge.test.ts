import t from 'tap';
import { measureText, renderBadge, unknownBadge } from '../../../src/server/status-pages/badge.ts';

t.test('a badge is as wide as its texts and names itself', async (t) => {
  // The badge "build: passing" of shields.io has 27 and 41 for them, which it rounds down.
  t.equal(measureText('build'), 27);
  t.equal(measureText('passing'), 42);
  const svg = renderBadge({ label: 'build', message: 'passing', state: 'passing' });
  t.match(svg, /<svg [^>]*width="93" height="20" role="img" aria-label="build: passing">/);
  t.match(svg, '<title>build: passing</title>');
  t.match(svg, 'textLength="27"');
  t.match(svg, '#1a7f37');
  t.match(renderBadge(unknownBadge), /aria-label="status: unknown"/);
});

t.test('texts of people are escaped, and a long label is cut', async (t) => {
  const svg = renderBadge({ label: `<script>"&${'x'.repeat(60)}`, message: 'stale', state: 'stale' });
  t.notMatch(svg, '<script>');
  t.match(svg, /x…<\/text>/);
  t.match(svg, `&lt;script&gt;&quot;&amp;${'x'.repeat(60)}: stale`, 'its name is the whole label');
});

t.test('characters outside of ASCII have their room', async (t) => {
  t.equal(measureText('結果'), 22);
  t.ok(measureText('Müller') > measureText('Mller'));
});
