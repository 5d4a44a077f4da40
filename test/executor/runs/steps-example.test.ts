/** The example of docs/how-to/steps.md against an application that behaves as it says. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { formatScenario } from '../../../src/scenario/format.ts';
import { getHeader, startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

const [, example = ''] =
  /```markdown\n([\s\S]*?)\n```\n\n`vp validate`/.exec(readFileSync('docs/how-to/steps.md', 'utf8')) ?? [];
const session = 'session-3f2a91';

t.test('the example passes, waits for the payment and leaves nothing', async (t) => {
  const orders = new Map<string, { reads: number; readonly total: number }>();
  const target = await startHttpTarget((request, response, arrived) => {
    const reply = (status: number, body?: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body && JSON.stringify(body));
    };
    const { method = '', url = '' } = request;
    if (url === '/api/v2/session') return reply(200, {}, { 'set-cookie': `sid=${session}; HttpOnly` });
    if (getHeader(arrived, 'cookie') !== `sid=${session}`) return reply(401, {});
    const id = /^\/api\/v2\/order\/([^/]+)/.exec(url)?.[1] ?? '';
    const order = orders.get(id);
    if (method === 'POST' && url === '/api/v2/order') {
      orders.set('o-1', { reads: 0, total: 50 });
      return reply(201, { id: 'o-1', total: 50 });
    }
    if (!order) return reply(404, {});
    if (url.endsWith('/payment')) return reply(arrived.body.includes('"amount": 50 ') ? 202 : 422, {});
    if (method === 'DELETE') return reply(orders.delete(id) ? 204 : 500);
    order.reads += 1;
    return reply(200, { id, total: order.total, state: order.reads > 1 ? 'paid' : 'open' });
  });
  const runner = createTestRunner(t, target);
  const report = await runner.execute(createRunRequest(example));
  t.match(report, { result: 'passed', attempts: 2, assertions_enforced_count: 3, notes: [] });
  t.match(report.cleanup, [{ name: 'remove the order', outcome: 'passed' }]);
  t.equal(orders.size, 0);
  t.notMatch(JSON.stringify(report), session);
  t.equal(
    formatScenario(example, {}, () => {}),
    `${example}\n`,
    'it is formatted',
  );
});
