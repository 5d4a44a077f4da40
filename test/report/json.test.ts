import t from 'tap';
import { renderJson } from '../../src/report/json.ts';
import { broken, createResults, failed, passed } from './report-fixtures.ts';

t.test('one document with a summary, and each report in its wire form with its outcome', async (t) => {
  const sources = new Map([['RT-GET-document', { file: 'scenarios/a.md', text: '' }]]);
  const text = renderJson(createResults([passed(), failed(), broken()], { sources }));
  t.ok(text.endsWith('}\n'));
  const document = JSON.parse(text);
  t.match(document, {
    results_version: 1,
    vp_version: '0.4.0',
    started_at: '2026-11-20T14:30:12.000Z',
    summary: { total: 3, passed: 1, failed: 1, broken: 1, cancelled: 0, unfinished: 0 },
  });
  t.same(
    document.runs.map((report: { outcome: string }) => report.outcome),
    ['passed', 'failed', 'broken'],
  );
  const { outcome, file, ...report } = document.runs[1];
  t.equal(outcome, 'failed');
  t.equal(file, 'scenarios/a.md');
  t.same(report, JSON.parse(JSON.stringify(failed())));
});

t.test('unfinished runs are listed and counted', async (t) => {
  const unfinished = [
    { scenarioId: 'A', instance: 'i', runId: undefined, state: 'not_requested', hint: 'run it again' },
  ] as const;
  const document = JSON.parse(renderJson(createResults([], { unfinished })));
  t.same(document.summary.total, 1);
  t.same(document.unfinished, [
    { scenario_id: 'A', instance: 'i', run_id: null, state: 'not_requested', hint: 'run it again' },
  ]);
});
