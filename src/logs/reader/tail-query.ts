/** The query of `GET /v1/tail`. */
import { vpError } from '../../errors/vp-error.ts';

const maxServices = 64;
const timestampPattern = /^\d{13}$/;
const servicePattern = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * `services`: undefined for all. `afterMs`: lines since that time (milliseconds since 1970) are sent first; none from
 * before the request when it is undefined.
 */
export type TailQuery = { readonly services: readonly string[] | undefined; readonly afterMs: number | undefined };

/** Throws LOG_READER_QUERY for anything but `service=<name>`, and `after=<milliseconds>` once. */
export function parseTailQuery(query: string): TailQuery {
  const services: string[] = [];
  let afterMs: number | undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'after' && afterMs === undefined) afterMs = parseTimestamp(value);
    else if (name === 'service') services.push(parseService(value));
    else throw createQueryError(`${quote(name)} is unknown or repeated`);
  }
  if (services.length > maxServices) throw createQueryError(`it names ${services.length} services`);
  return { services: services.length === 0 ? undefined : [...new Set(services)], afterMs };
}

function parseService(value: string): string {
  if (servicePattern.test(value)) return value;
  throw createQueryError(`${quote(value)} is not a service name`);
}

function parseTimestamp(value: string): number {
  if (timestampPattern.test(value)) return Number(value);
  throw createQueryError(`${quote(value)} is not a time in milliseconds`);
}

function createQueryError(problem: string) {
  return vpError('LOG_READER_QUERY', { problem });
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
