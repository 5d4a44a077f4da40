/** Who looks after a scenario, and which change was verified, in the report files. */
import t from 'tap';
import { renderCtrf } from '../../src/report/ctrf.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import type { Report } from '../../src/report/report.ts';
import { createResults, failed, passed } from './report-fixtures.ts';

const source = {
  branch: 'feature/<b>',
  commit: '4f2c9e1',
  author: 'Ana & Bo',
  job: 'verify',
  url: 'https://ci.example/job/7',
};
const links = ['https://wiki.example/orders'];

function withOwner(report: Report): Report {
  return { ...report, scenario: { ...report.scenario, owner: 'team "A" <a>', links } };
}

t.test('each report file names the change and its job', async (t) => {
  const results = createResults([passed(), failed()], { source });
  t.match(renderJunit(results), '<property name="vp.branch" value="feature/&lt;b&gt;"/>');
  t.match(renderJunit(results), '<property name="vp.job_url" value="https://ci.example/job/7"/>');
  const text = 'feature/&lt;b&gt;, commit 4f2c9e1, by Ana &amp; Bo, job verify';
  t.match(renderHtml(results), `<p class="quiet">${text} · <span class="mono">https://ci.example/job/7</span></p>`);
  t.same(JSON.parse(renderCtrf(results)).results.environment, {
    ...{ branchName: 'feature/<b>', commit: '4f2c9e1' },
    ...{ buildName: 'verify', buildUrl: 'https://ci.example/job/7' },
  });
  t.match(renderMarkdown(results), 'feature/&#60;b&#62;, commit 4f2c9e1, by Ana &#38; Bo, job verify</code>');
});

t.test('nothing is said of a change that is not known', async (t) => {
  for (const results of [createResults([passed()]), createResults([passed()], { source: {} })]) {
    t.notMatch(renderJunit(results), /vp\.(?:branch|commit|author|job|owner|links)/);
    t.notOk('environment' in JSON.parse(renderCtrf(results)).results);
    t.notMatch(renderHtml(results), /commit |<th>owner|<th>links/);
    t.notMatch(renderMarkdown(results), 'commit');
  }
});

t.test('the owner and the links of a scenario stand with its result', async (t) => {
  const results = createResults([withOwner(failed())]);
  t.match(renderJunit(results), '<property name="vp.owner" value="team &quot;A&quot; &lt;a&gt;"/>');
  t.match(renderJunit(results), '<property name="vp.links" value="https://wiki.example/orders"/>');
  t.match(renderHtml(results), /<th>owner<\/th><td class="mono">team (?:"|&quot;)A(?:"|&quot;) &lt;a&gt;<\/td>/);
  t.match(renderHtml(results), '<th>links</th><td class="mono">https://wiki.example/orders</td>');
  t.match(JSON.parse(renderCtrf(results)).results.tests[0].extra, { owner: 'team "A" <a>', links });
});
