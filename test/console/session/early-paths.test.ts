import t from 'tap';
import { listEarlyPaths, listPagePaths } from '../../../src/console/session/early-paths.ts';

const ofFrame = ['/api/v1/session', '/api/v1/instances', '/api/v1/hubs'];

t.test('pages of one thing ask for it at their own address', async (t) => {
  for (const path of ['/runs/20261120T143012345', '/instances/shop/failures/0f', '/instances/shop/scenarios/RT-COUNT'])
    t.same(listEarlyPaths(path, ''), [ofFrame[0], `/api/v1${path}`, ...ofFrame.slice(1)]);
});

t.test('filters in the address, and pages without data, ask for nothing more', async (t) => {
  t.same(listEarlyPaths('/instances/shop/runs', '?result=failed'), ofFrame);
  for (const path of [
    '/settings/people',
    '/instances/shop/unknown',
    '/instances/shop/constructor',
    '/runs',
    '/a/b/c/d',
  ])
    t.same(listEarlyPaths(path, ''), ofFrame, path);
});

t.test('the session comes first, because nothing is shown without it', async (t) => {
  t.same(listEarlyPaths('/instances/shop/health', ''), [
    ofFrame[0],
    '/api/v1/instances/shop/health',
    '/api/v1/instances/shop/quarantines',
    ...ofFrame.slice(1),
  ]);
});

t.test('a suite asks for its runs beside itself, and the frame is not part of the page', async (t) => {
  t.same(listPagePaths('/instances/shop/suites/s1', ''), [
    '/api/v1/instances/shop/suites/s1',
    '/api/v1/runs?instance=shop&suite=s1&limit=100&state=failed&state=cancelled',
    '/api/v1/runs?instance=shop&suite=s1&limit=100&state=passed',
  ]);
  t.same(listPagePaths('/instances/shop/runs', '?result=failed'), []);
});
