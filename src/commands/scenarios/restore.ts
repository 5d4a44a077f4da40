import type { Client } from '../../client/client.ts';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';

/** `vp scenarios restore`. */
export const scenariosRestoreCommand = command({
  name: 'scenarios restore',
  summary: 'restore a deleted scenario, or an earlier revision',
  positionals: [{ name: 'id', describe: 'scenario ID', required: true, kind: 'scenario' }],
  flags: {
    revision: {
      type: 'number',
      min: 1,
      max: 2_147_483_647,
      placeholder: '<n>',
      describe: 'the revision to restore (default: the last one of a deleted scenario, else the one before the newest)',
    },
    ...catalogueFlags,
  },
  examples: [
    ['vp scenarios restore RT-GET-folder', 'undo a deletion, or the last change'],
    ['vp scenarios restore RT-GET-folder --revision 2', 'make the text of revision 2 the newest one'],
  ],
  notes:
    'Restoring creates a new revision, so it can be undone the same way. `vp scenarios history <ID>` lists the revisions.',
  async run({ flags, args: [id = ''], json, environment }) {
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const revision = flags.revision ?? (await findRevisionToRestore(client, instance, id));
    const scenario = await client.scenarios.restore(instance, id, { revision });
    environment.streams.stdout.write(
      json
        ? `${JSON.stringify({ instance, restored_revision: revision, scenario }, null, 2)}\n`
        : `scenario ${scenario.scenario_id} has the text of revision ${revision} again, as revision ${scenario.revision}\n`,
    );
    return exitCode.done;
  },
});

/** Throws SCENARIO_NOT_DELETED when a scenario of the catalogue has only one revision. */
async function findRevisionToRestore({ scenarios }: Client, instance: string, id: string): Promise<number> {
  const [newest, previous] = await scenarios.listRevisions(instance, id);
  const current = await scenarios.get(instance, id).catch((error: unknown) => {
    if (error instanceof VpError && error.code === 'SCENARIO_DELETED') return undefined;
    throw error;
  });
  const revision = current === undefined ? newest : previous;
  if (revision) return revision.revision;
  throw vpError('SCENARIO_NOT_DELETED', { scenario: id });
}
