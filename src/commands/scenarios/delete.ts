import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatControlPlaneFlag, openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { isInteractive, readLine } from '../prompt-line.ts';
import { catalogueFlags } from './catalogue-flags.ts';

/** `vp scenarios delete`. */
export const scenariosDeleteCommand = command({
  name: 'scenarios delete',
  summary: 'delete scenarios from an instance’s catalogue',
  positionals: [{ name: 'id', describe: 'scenario ID', required: true, kind: 'scenario', many: true }],
  flags: {
    yes: { type: 'boolean', alias: 'y', default: false, describe: 'do not ask for confirmation' },
    ...catalogueFlags,
  },
  examples: [
    ['vp scenarios delete RT-GET-folder', 'after a confirmation'],
    ['vp scenarios delete RT-GET-folder RT-GET-envelope --yes', 'without a confirmation, for scripts'],
  ],
  notes:
    'Revisions, runs and reports are kept: `vp scenarios restore <ID>` restores a scenario, and `vp scenarios list --deleted` ' +
    'lists the deleted ones. Local files do not change.',
  async run({ flags, args, json, environment }) {
    const { streams } = environment;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const entries = await Promise.all(args.map((id) => client.scenarios.get(instance, id)));
    if (!flags.yes) await confirmDeletion(args, instance, environment);
    for (const [index, id] of args.entries()) {
      await client.scenarios.remove(instance, id, { ifRevision: entries[index]?.revision });
      const restore = `vp scenarios restore ${id} --instance ${instance}${formatControlPlaneFlag(client)}`;
      if (!json) streams.stdout.write(`scenario ${escapeUnsafeLine(id)} is deleted; restore it with \`${restore}\`\n`);
    }
    const deleted = entries.map(({ scenario_id, revision }) => ({ scenario_id, revision }));
    if (json) streams.stdout.write(`${JSON.stringify({ instance, deleted }, null, 2)}\n`);
    return exitCode.done;
  },
});

/** Throws SCENARIO_DELETION_UNCONFIRMED unless a person says yes. */
async function confirmDeletion(
  ids: readonly string[],
  instance: string,
  { streams: { stdin, stderr } }: Environment,
): Promise<void> {
  const scenarios = ids.map(escapeUnsafeLine).join(', ');
  if (!isInteractive(stdin))
    throw vpError('SCENARIO_DELETION_UNCONFIRMED', { scenarios, why: 'standard input is not a terminal' });
  stderr.write(`Delete ${scenarios} from the catalogue of ${instance}? Revisions and runs stay. [y/N] `);
  const reply = await readLine(stdin);
  if (!/^y(es)?$/i.test(reply.trim()))
    throw vpError('SCENARIO_DELETION_UNCONFIRMED', { scenarios, why: 'it was not confirmed' });
}
