import t from 'tap';
import { isKeyedRoute } from '../../src/server/route-table.ts';

t.test('requests of runs may be repeated with their key, and nothing else', async (t) => {
  t.ok(isKeyedRoute('POST', '/api/v1/instances/shop/runs'));
  t.ok(isKeyedRoute('POST', '/api/v1/instances/a%2Eb/runs'));
  for (const [method, path] of [
    ['GET', '/api/v1/instances/shop/runs'],
    ['POST', '/api/v1/instances/shop'],
    ['POST', '/api/v1/instances//runs'],
    ['POST', '/api/v1/instances/shop/runs/'],
    ['POST', '/api/v1/instances/a/b/runs'],
    ['POST', '/agent/mcp'],
  ] as const)
    t.notOk(isKeyedRoute(method, path), `${method} ${path}`);
});
