/** The query of `GET /v1/tail`. */
import { vpError } from '../../errors/vp-error.ts';

const servicesAtMost = 64;
const serviceShape = /^[A-Za-z0-9._-]{1,128}$/;

/** The services asked for; undefined for all. Throws LOG_READER_QUERY for anything but `service=<name>`. */
export function servicesOf(query: string): readonly string[] | undefined {
  const pairs = [...new URLSearchParams(query)];
  for (const [name, value] of pairs) {
    if (name !== 'service') throw refused(`${shown(name)} is not known`);
    if (!serviceShape.test(value)) throw refused(`${shown(value)} is no name of a service`);
  }
  if (pairs.length > servicesAtMost) throw refused(`it names ${pairs.length} services`);
  return pairs.length === 0 ? undefined : [...new Set(pairs.map(([, value]) => value))];
}

function refused(problem: string) {
  return vpError('LOG_READER_QUERY', { problem });
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
