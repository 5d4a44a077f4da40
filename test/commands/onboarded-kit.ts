/** What an onboarding of this user has left on this machine: the journal of an instance, and its keys. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserPaths } from '../../src/environment/paths.ts';
import type { JournalFacts } from '../../src/onboarding/workflow/journal.ts';

type KitSettings = Partial<JournalFacts> & { readonly instance_id: string; readonly directKey?: string };

/** Writes the default kit folder of the instance, and returns it. */
export function writeOnboardedKit({ data }: Pick<UserPaths, 'data'>, settings: KitSettings): string {
  const { directKey, ...given } = settings;
  const kit = join(data, 'kits', given.instance_id);
  mkdirSync(kit, { recursive: true });
  const facts: JournalFacts = {
    ...{ asked_id: given.instance_id, control_plane: 'http://127.0.0.1:1', product_dir: '/p', test_dir: '/t' },
    ...{ image: 'vp:v0.4.0-slim', compose_project: given.instance_id, network: given.instance_id, registered: true },
    ...given,
  };
  writeFileSync(join(kit, 'journal.json'), JSON.stringify({ version: 1, facts, in_hand: null, finished: [] }));
  if (directKey !== undefined) writeFileSync(join(kit, 'direct.key'), `${directKey}\n`, { mode: 0o600 });
  return kit;
}
