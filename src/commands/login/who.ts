import { objectWith } from '../../client/answer.ts';
import { at } from '../../client/call.ts';
import type { Transport } from '../../client/transport.ts';
import type { Whoami } from '../../contract/identity-api.ts';

/** Who the caller is for a control plane. */
export function askWho({ json }: Transport): Promise<Whoami> {
  return json({ method: 'GET', path: at('session') }, objectWith<Whoami>('person', 'via', 'role'));
}

/** `Ana <ana@example.com>, owner`. */
export function whoText({ person, role, via }: Whoami): string {
  if (!person) return `holder of the owner key, ${role}`;
  const limited = via === 'api_key' ? `, by an API key that is ${role}` : `, ${role}`;
  return `${person.name} <${person.email}>${limited}`;
}
