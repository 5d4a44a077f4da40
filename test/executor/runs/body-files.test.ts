/** Checks of the whole body against files, and the example of docs/how-to/body-files.md. */
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { embedFiles } from '../../../src/scenario/embedded-files.ts';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

const page = readFileSync('docs/how-to/body-files.md', 'utf8');
const [, example = ''] = /```markdown\n([\s\S]*?)\n```\n\n`order\.json`/.exec(page) ?? [];

const files: Record<string, string> = {
  'order.json': '{ "id": 7, "total": 9.50, "items": [{ "id": 1, "name": "lamp", "price": 9.50 }] }',
  'order.schema.json': JSON.stringify({
    type: 'object',
    required: ['id', 'items'],
    properties: { items: { type: 'array', items: { properties: { price: { type: 'number', minimum: 0 } } } } },
  }),
};
const text = embedFiles(example, (name) => files[name]);

async function run(t: Test, body: string, prove = false) {
  const target = await startHttpTarget((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
  const runner = createTestRunner(t, target);
  return runner.execute({ ...createRunRequest(text), prove });
}

const right = '{"id":7,"total":9.50,"items":[{"id":5,"name":"lamp","price":9.50}],"updated_at":"now"}';

t.test('the example of the how-to passes, and both checks are proven', async (t) => {
  const report = await run(t, right, true);
  t.match(report, { result: 'passed', assertions_enforced_count: 2 });
  const verdicts = Object.fromEntries((report.proof?.checks ?? []).map((check) => [check.text, check.verdict]));
  t.equal(verdicts['body equals file order.json ignoring updated_at, items.id'], 'proven');
  t.match(verdicts['body matches schema order.schema.json'], /^(?:proven|covered)$/);
});

t.test('the report has the differences, as the how-to displays them', async (t) => {
  const report = await run(
    t,
    right.replace('9.50', '9').replace('"name":"lamp",', '').replace('"id":7', '"id":7,"secret":1'),
  );
  const [failed] = report.failed_checks;
  const documented = /expected {2}(the body.*)\nactual {4}(.*)\n/.exec(page) ?? [];
  t.equal(documented.length, 3);
  t.match(failed, { expected: documented[1], actual: documented[2] });
});

t.test('a body that does not match the schema fails', async (t) => {
  const report = await run(t, right.replace('"price":9.50', '"price":-1'));
  const documented = /expected {2}(a body that.*)\nactual {4}(.*)\n/.exec(page) ?? [];
  t.equal(documented.length, 3);
  t.match(report.failed_checks[0], { expected: documented[1], actual: documented[2], pointer: '/items/0/price' });
});

t.test('a schema that cannot be used never passes', async (t) => {
  const broken = text.replace('"type":"object"', '"type":"objekt"');
  const target = await startHttpTarget(respondWithJson({ id: 7 }));
  const runner = createTestRunner(t, target);
  const report = await runner.execute(createRunRequest(broken));
  t.equal(report.result, 'failed');
  t.match(report.failed_checks[0], { actual: /^the schema cannot be used: / });
});
