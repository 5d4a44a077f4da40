import type { Client } from '../../client/client.ts';
import { identityOf } from '../../client/identity.ts';
import type { Person } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';

/** The account with this email or id. Throws PERSON_UNKNOWN. */
export async function personNamed({ transport }: Client, named: string): Promise<Person> {
  const people = await identityOf(transport).people();
  const key = named.toLowerCase();
  const person = people.find(({ email, person_id: id }) => email.toLowerCase() === key || id === named);
  if (person) return person;
  throw vpError('PERSON_UNKNOWN', {});
}
