/** What the page at an address asks first, as the client writes it. */

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
    `${path}/scenarios?limit=1000`,
  ],
  scenarios: (path) => [
    `${path}/scenario-results`,
    `${path}/scenarios?limit=1000`,
    `${path}/quarantines`,
    `${path}/views`,
  ],
  health: (path) => [`${path}/health`, `${path}/quarantines`],
  compare: (path) => [`${path}/comparison`, `${path}/target-versions`],
  schedules: (path) => [`${path}/schedules`],
  suites: (path) => [`${path}/suites?limit=25`],
};

/** Pages of one thing, which has the same address in the API. */
const documentPath = /^\/(?:runs\/[^/]+|instances\/[^/]+\/(?:failures|scenarios)\/[^/]+)$/;
const suitePath = /^\/instances\/([^/]+)\/suites\/([^/]+)$/;

const toSuiteList = (instance: string, suite: string, states: readonly string[]): string =>
  `/runs?instance=${instance}&suite=${suite}&limit=100${states.map((state) => `&state=${state}`).join('')}`;

function listOwnPaths(pathname: string): readonly string[] {
  const [, suiteInstance, suite] = suitePath.exec(pathname) ?? [];
  if (suiteInstance !== undefined && suite !== undefined)
    return [
      pathname,
      toSuiteList(suiteInstance, suite, ['failed', 'cancelled']),
      toSuiteList(suiteInstance, suite, ['passed']),
    ];
  if (documentPath.test(pathname)) return [pathname];
  if (pathname === '/') return ['/hub-tokens', '/api-keys'];
  const [, path, instance, page = ''] = /^(\/instances\/([^/]+))(?:\/([a-z]+))?$/.exec(pathname) ?? [];
  if (path === undefined || instance === undefined || !Object.hasOwn(instancePaths, page)) return [];
  return instancePaths[page]?.(path, instance) ?? [];
}

const toApiPath = (path: string): string => `/api/v1${path}`;

/** What the page asks beside the frame around it. With filters in the address it asks for something else. */
export function listPagePaths(pathname: string, search: string): readonly string[] {
  return search === '' ? listOwnPaths(pathname).map(toApiPath) : [];
}

/** Paths of the API, the most urgent first. */
export function listEarlyPaths(pathname: string, search: string): readonly string[] {
  const [session = '', ...others] = framePaths;
  return [toApiPath(session), ...listPagePaths(pathname, search), ...others.map(toApiPath)];
}
