import { apiPath } from '../../client/transport/api-call.ts';
import { createObjectGuard } from '../../client/transport/json-response.ts';
import type { Transport } from '../../client/transport/transport.ts';
import type { Whoami } from '../../contract/identity-api.ts';

export function fetchWhoami({ json }: Transport): Promise<Whoami> {
  return json({ method: 'GET', path: apiPath('session') }, createObjectGuard<Whoami>('person', 'via', 'role'));
}

/** `Ana <ana@example.com>, owner`. */
export function formatWhoami({ person, role, via }: Whoami): string {
  if (!person) return `holder of the owner key, ${role}`;
  const limited = via === 'api_key' ? `, by an API key that is ${role}` : `, ${role}`;
  return `${person.name} <${person.email}>${limited}`;
}
