/** The query of `GET /v1/tail`. */
import { vpError } from '../../errors/vp-error.ts';

const servicesAtMost = 64;
const momentShape = /^\d{13}$/;
const serviceShape = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * What is asked for. `services`: undefined for all. `afterMs`: lines since that moment (milliseconds since 1970) are told
 * first; none from before where it is undefined.
 */
export type TailQuery = { readonly services: readonly string[] | undefined; readonly afterMs: number | undefined };

/** Throws LOG_READER_QUERY for anything but `service=<name>`, and `after=<milliseconds>` once. */
export function tailQueryOf(query: string): TailQuery {
  const services: string[] = [];
  let afterMs: number | undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'after' && afterMs === undefined) afterMs = momentOf(value);
    else if (name === 'service') services.push(serviceOf(value));
    else throw refused(`${shown(name)} is not known, or stands there twice`);
  }
  if (services.length > servicesAtMost) throw refused(`it names ${services.length} services`);
  return { services: services.length === 0 ? undefined : [...new Set(services)], afterMs };
}

function serviceOf(value: string): string {
  if (serviceShape.test(value)) return value;
  throw refused(`${shown(value)} is no name of a service`);
}

function momentOf(value: string): number {
  if (momentShape.test(value)) return Number(value);
  throw refused(`${shown(value)} is no moment in milliseconds`);
}

function refused(problem: string) {
  return vpError('LOG_READER_QUERY', { problem });
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
