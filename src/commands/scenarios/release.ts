import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';

/** `vp scenarios release`. */
export const scenariosReleaseCommand = command({
  name: 'scenarios release',
  summary: 'take scenarios out of quarantine',
  positionals: [{ name: 'id', describe: 'scenario ID', required: true, kind: 'scenario', many: true }],
  flags: catalogueFlags,
  examples: [['vp scenarios release RT-GET-folder', 'its failures count again, from the next run that ends']],
  notes: '`vp scenarios quarantine` lists the scenarios in quarantine. Runs that have ended do not change.',
  async run({ flags, args, json, environment }) {
    const { stdout } = environment.streams;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    for (const id of args) {
      await client.quarantines.release(instance, id);
      if (!json)
        stdout.write(`scenario ${escapeUnsafeLine(id)} is no longer in quarantine: its failures count again\n`);
    }
    if (json) stdout.write(`${JSON.stringify({ instance, released: args }, null, 2)}\n`);
    return exitCode.done;
  },
});
