import { command } from '../../command-line/command.ts';
import type { CreateInstanceRequest } from '../../contract/api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { formatControlPlaneFlag, openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { createKeyWriter, formatKey, keyFileFlag } from './executor-key.ts';

/** `vp instances create`. */
export const instancesCreateCommand = command({
  name: 'instances create',
  summary: 'register an instance for a target, and create its executor key',
  positionals: [
    { name: 'id', describe: 'at most 22 lowercase letters, digits and hyphens', required: true, kind: 'instance' },
  ],
  flags: {
    'executor-port': {
      type: 'number',
      placeholder: '<port>',
      describe: 'port of its executor on this machine, 8765 to 8790; for `vp run --direct`',
    },
    ...keyFileFlag,
    ...controlPlaneFlags,
  },
  examples: [
    ['vp instances create shop --key-file shop.key', 'writes the key to a file that only you can read'],
    ['vp instances create shop', 'the key is shown once'],
  ],
  notes: 'If the id is taken, the error suggests a free one. With --json: {"instance", "executor_key"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const file = flags['key-file'];
    const client = await openClient(flags, environment);
    const writeKey = createKeyWriter(file, environment);
    const port = flags['executor-port'];
    const input: CreateInstanceRequest = { instance_id: id, ...(port === undefined ? {} : { executor_port: port }) };
    const { instance, executor_key: key } = await client.instances.create(input);
    writeKey(key);
    const document = { instance, executor_key: file === undefined ? key : null, key_file: file ?? null };
    const text = `instance ${instance.instance_id} is registered\n${formatKey(instance.instance_id, key, file, formatControlPlaneFlag(client))}`;
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});
