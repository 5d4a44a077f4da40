/** Checks of elements from the text to the verdict and the proof. */
import t, { type Test } from 'tap';
import { startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest, scenarioText } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

const page = '<!doctype html><h1>Orders</h1><ul><li class="open">lamp</li><li>desk</li></ul><a href="/next">Next</a>';

async function setUpRunner(t: Test, body: string, type = 'text/html; charset=utf-8') {
  const target = await startHttpTarget((_request, response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  });
  const runner = createTestRunner(t, target);
  return (checks: readonly string[], prove = false) => {
    const text = scenarioText('GET ${INGESTION_URL}/a\nX-Request-Id: ${correlation_id}', ['status=200', ...checks]);
    return runner.execute({ ...createRunRequest(text), prove });
  };
}

t.test('elements of a page are judged and proven', async (t) => {
  const run = await setUpRunner(t, page);
  const checks = ['body css "h1" equals Orders', 'body css "li" length = 2', 'body css ".error" absent'];
  const report = await run([...checks, 'body css "a" @href equals /next'], true);
  t.match(report, { result: 'passed', assertions_enforced_count: 4 });
  const verdicts = (report.proof?.checks ?? []).filter(({ text }) => text.startsWith('body css'));
  t.same(
    verdicts.map(({ verdict }) => verdict),
    ['proven', 'proven', 'proven', 'proven'],
    JSON.stringify(verdicts),
  );
});

t.test('a failing check says what the page has', async (t) => {
  const run = await setUpRunner(t, page);
  t.match(await run(['body css "h1" equals Invoices', 'body css "li" containing lamp']), {
    result: 'failed',
    failed_checks: [
      { expected: 'an element `h1` exactly Invoices', actual: '"Orders"' },
      { actual: '2 elements; name one of them, or write `body some css …`' },
    ],
  });
});

t.test('XML that the target did not finish fails, whatever is checked', async (t) => {
  const run = await setUpRunner(t, '<orders><order>1</order>', 'application/xml');
  t.match(await run(['body css "order" equals 1', 'body css "fault" absent']), {
    result: 'failed',
    failed_checks: [{ actual: /not complete/ }, { actual: /not complete/ }],
  });
});
