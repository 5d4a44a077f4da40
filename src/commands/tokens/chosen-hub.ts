import type { Client } from '../../client/client.ts';
import { vpError } from '../../errors/vp-error.ts';

/** The hub that is named, or the only one that the caller belongs to. Throws HUB_NOT_CHOSEN. */
export async function chosenHub({ hubs }: Client, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const all = await hubs.list();
  const [first, second] = all;
  if (first && !second) return first.slug;
  const known = all.map(({ slug }) => slug).join(', ') || 'none yet: `vp hubs create <slug>` makes one';
  throw vpError('HUB_NOT_CHOSEN', { count: all.length, known });
}
