/** The routes of the roles besides the control plane (test/server/route-table.test.ts), and that nothing serves others. */
import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import { dashboardRoutes } from '../../src/dashboard/app.ts';
import { dashboardPagePaths } from '../../src/dashboard/page-files.ts';
import { localRoutes } from '../../src/executor/local-api.ts';
import type { RouteDescription } from '../../src/http/route.ts';
import { logReaderPaths } from '../../src/logs/reader/tail-server.ts';
import { routerRoutes } from '../../src/router/router.ts';

type ListedRoute = RouteDescription & { readonly action: string };

const describeRoute = ({ method, path, action, credential }: ListedRoute): string =>
  `${method} ${path}: ${credential ?? action}`;

t.test('the executor serves its listed routes', async (t) => {
  t.same(localRoutes.map(describeRoute), [
    'GET /healthz: anyone',
    'GET /v1/status: direct',
    'POST /v1/runs: direct',
    'POST /v1/probes: direct',
    'GET /metrics: metrics',
    'POST /mcp: an agent token',
  ]);
});

t.test('the router serves its listed routes', async (t) => {
  t.same(routerRoutes.map(describeRoute), [
    'GET /healthz: anyone',
    'POST /mcp: an agent token',
    'GET /metrics: metrics',
  ]);
});

t.test('the dashboard serves its listed routes and its page', async (t) => {
  t.same(
    dashboardRoutes.map(({ surfaces, route }) => `${describeRoute(route)} on ${surfaces.join(', ')}`),
    [
      'GET /healthz: anyone on page, internal',
      'GET /relay/metrics: anyone on internal',
      'GET /api/panels: anyone on page',
      'GET /api/panels/{panel}: anyone on page',
      'GET /api/instances: anyone on page',
      'GET /api/scenarios: anyone on page',
    ],
  );
  t.same(dashboardPagePaths.paths, ['/', '/assets/*']);
});

t.test('the log reader serves one path', async (t) => {
  t.same(logReaderPaths.paths, ['/v1/tail']);
  t.same(logReaderPaths.methods, ['GET']);
});

const sources = globSync('src/**/*.ts').map((file) => ({
  file: file.replaceAll('\\', '/'),
  code: readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm, ''),
}));

/** Files whose code matches, in order of their name. */
function filesWith(pattern: RegExp): string[] {
  return sources.flatMap(({ file, code }) => (pattern.test(code) ? [file] : [])).sort();
}

t.test('routes are registered by the apps of the roles only', async (t) => {
  const apps = ['src/dashboard/app.ts', 'src/executor/local-api.ts', 'src/router/router.ts', 'src/server/app.ts'];
  t.same(
    filesWith(/from 'hono'/),
    [...apps.filter((file) => file !== 'src/dashboard/app.ts'), 'src/http/create-app.ts'].sort(),
  );
  t.same(filesWith(/new Hono\b/), ['src/http/create-app.ts']);
  t.same(
    filesWith(/\bcreateApp\s*[<(]/).filter((file) => file !== 'src/http/create-app.ts'),
    apps,
  );
  t.same(
    filesWith(/\.(?:get|post|put|patch|delete|on|all|use|route|mount)\(\s*'\//),
    [],
    'no route is added to an app',
  );
});

t.test('listeners are opened for known handlers only', async (t) => {
  t.same(filesWith(/import \{[^}]*\blisten\b[^}]*\} from '[^']*http\/listener\/listen\.ts'/), [
    'src/assemble/control-plane/control-plane.ts',
    'src/assemble/control-plane/executor-socket.ts',
    'src/assemble/dashboard.ts',
    'src/assemble/executor/executor-listener.ts',
    'src/assemble/router.ts',
    'src/logs/reader/tail-server.ts',
  ]);
  t.same(
    filesWith(/import \{[^}]*\bcreateServer\b[^}]*\} from 'node:https?'/),
    // The second one receives the redirect of `vp login`.
    ['src/commands/login/loopback.ts', 'src/http/listener/listen.ts'],
  );
});
