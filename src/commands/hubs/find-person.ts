import type { Client } from '../../client/client.ts';
import { createIdentityClient } from '../../client/identity.ts';
import type { Person } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';

/** Finds an account by email or id. Throws PERSON_UNKNOWN. */
export async function requirePerson({ transport }: Client, emailOrId: string): Promise<Person> {
  const people = await createIdentityClient(transport).listPeople();
  const normalized = emailOrId.toLowerCase();
  const person = people.find(({ email, person_id: id }) => email.toLowerCase() === normalized || id === emailOrId);
  if (person) return person;
  throw vpError('PERSON_UNKNOWN', { person: emailOrId.slice(0, 100) });
}
