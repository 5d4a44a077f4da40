/** Paths of pages. */

/** What needs a look in an environment. */
export function instancePath(instance: string): string {
  return `/instances/${encodeURIComponent(instance)}`;
}

/** What changed between two versions of the target; `head` is the later one, by default the newest. */
export function comparePath(instance: string, head?: string): string {
  const query = head === undefined ? '' : `?head=${encodeURIComponent(head)}`;
  return `${instancePath(instance)}/compare${query}`;
}

/** How far the results of the scenarios of an environment can be relied on. */
export function healthPath(instance: string): string {
  return `${instancePath(instance)}/health`;
}

/** What runs by itself in an environment. */
export function schedulesPath(instance: string): string {
  return `${instancePath(instance)}/schedules`;
}

/** What people without an account can read of an environment. */
export function statusPagesPath(instance: string): string {
  return `${instancePath(instance)}/status-pages`;
}

/** Requests for several scenarios. */
export function suitesPath(instance: string): string {
  return `${instancePath(instance)}/suites`;
}

export function suitePath(instance: string, suite: string): string {
  return `${suitesPath(instance)}/${encodeURIComponent(suite)}`;
}

export function failurePath(instance: string, failure: string): string {
  return `${instancePath(instance)}/failures/${encodeURIComponent(failure)}`;
}

export function runsPath(instance: string): string {
  return `/instances/${encodeURIComponent(instance)}/runs`;
}

export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

export function scenariosPath(instance: string): string {
  return `/instances/${encodeURIComponent(instance)}/scenarios`;
}

export function scenarioPath(instance: string, scenario: string): string {
  return `${scenariosPath(instance)}/${encodeURIComponent(scenario)}`;
}

/** What of an OpenAPI document the scenarios of an environment check. */
export function coveragePath(instance: string): string {
  return `${instancePath(instance)}/coverage`;
}

/** A page of a hub under Manage; by default its tokens. */
export function hubPath(slug: string, page = 'tokens'): string {
  return `/hubs/${encodeURIComponent(slug)}/${page}`;
}
