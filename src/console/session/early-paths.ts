/** What the page at an address asks first, as the client writes it. Only the script before all others imports it. */

/** Every page of a signed-in person asks for these; for the first of them nothing is shown before it is answered. */
const framePaths: readonly string[] = ['/session', '/instances', '/hubs'];

const toList = (instance: string, states: readonly string[]): string =>
  `/runs?instance=${instance}&limit=50${states.map((state) => `&state=${state}`).join('')}`;

/** By the last segment of a page of an environment, without filters. */
const instancePaths: Readonly<Record<string, (path: string, instance: string) => readonly string[]>> = {
  '': (path) => [`${path}/failures?state=failing`],
  runs: (path, instance) => [
    toList(instance, ['passed', 'failed', 'cancelled']),
    toList(instance, ['in_progress']),
    toList(instance, ['queued']),
    `${path}/views`,
    `${path}/scenarios?limit=200`,
  ],
  scenarios: (path) => [
    `${path}/scenarios?limit=200`,
    `${path}/scenario-results`,
    `${path}/quarantines`,
    `${path}/views`,
  ],
  health: (path) => [`${path}/health`, `${path}/quarantines`],
  compare: (path) => [`${path}/target-versions`],
  schedules: (path) => [`${path}/schedules`],
  suites: (path) => [`${path}/suites?limit=25`],
};

/** Pages of one thing, which has the same address in the API. */
const documentPath = /^\/(?:runs\/[^/]+|instances\/[^/]+\/(?:failures|scenarios|suites)\/[^/]+)$/;

function listPagePaths(pathname: string): readonly string[] {
  if (documentPath.test(pathname)) return [pathname];
  if (pathname === '/') return ['/hub-tokens', '/api-keys'];
  const [, path, instance, page = ''] = /^(\/instances\/([^/]+))(?:\/([a-z]+))?$/.exec(pathname) ?? [];
  if (path === undefined || instance === undefined || !Object.hasOwn(instancePaths, page)) return [];
  return instancePaths[page]?.(path, instance) ?? [];
}

/** Paths of the API, the most urgent first. With filters in the address the page asks for something else. */
export function listEarlyPaths(pathname: string, search: string): readonly string[] {
  const [session = '', ...others] = framePaths;
  return [session, ...(search === '' ? listPagePaths(pathname) : []), ...others].map((path) => `/api/v1${path}`);
}
