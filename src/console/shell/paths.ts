/** Addresses of pages. */

/** Runs of an instance. */
export function runsPath(instance: string): string {
  return `/instances/${encodeURIComponent(instance)}/runs`;
}

/** One run. */
export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** The catalogue of an instance. */
export function scenariosPath(instance: string): string {
  return `/instances/${encodeURIComponent(instance)}/scenarios`;
}

/** One scenario. */
export function scenarioPath(instance: string, scenario: string): string {
  return `${scenariosPath(instance)}/${encodeURIComponent(scenario)}`;
}

/** A page of a hub under Manage; its tokens unless said otherwise. */
export function hubPath(slug: string, part = 'tokens'): string {
  return `/hubs/${encodeURIComponent(slug)}/${part}`;
}
