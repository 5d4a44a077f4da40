import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';

/** `vp scenarios rename`. */
export const scenariosRenameCommand = command({
  name: 'scenarios rename',
  summary: 'change the ID of a scenario',
  positionals: [
    { name: 'id', describe: 'current ID', required: true, kind: 'scenario' },
    { name: 'new-id', describe: 'new ID', required: true, kind: 'scenario' },
  ],
  flags: catalogueFlags,
  examples: [['vp scenarios rename RT-GET-doc RT-GET-document', 'its runs and revisions are found by either ID']],
  notes:
    'The ID in the text changes too, as a new revision. A local file keeps the old ID: pull the scenario, or edit the file, ' +
    'before the next push.',
  async run({ flags, args: [id = '', newId = ''], json, environment }) {
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const { revision } = await client.scenarios.get(instance, id);
    const scenario = await client.scenarios.rename(instance, id, { new_id: newId, if_revision: revision });
    const isUnchanged = scenario.revision === revision && scenario.scenario_id === id;
    environment.streams.stdout.write(
      json
        ? `${JSON.stringify({ instance, former_id: id, scenario }, null, 2)}\n`
        : isUnchanged
          ? `scenario ${escapeUnsafeLine(id)} has this ID already; nothing was changed\n`
          : `scenario ${escapeUnsafeLine(id)} is now ${scenario.scenario_id}, revision ${scenario.revision}\n`,
    );
    return exitCode.done;
  },
});
