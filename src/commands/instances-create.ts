import type { InstanceNew } from '../contract/api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect, lineFlag } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { keyFileFlag, keyKeeper, keyText } from './instances/executor-key.ts';

/** `vp instances create`. */
export const instancesCreateCommand = command({
  name: 'instances create',
  summary: 'register an instance for one target, and make its executor key',
  positionals: [{ name: 'id', describe: 'lowercase letters, digits and hyphens, at most 22', required: true }],
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
    ['vp instances create shop --key-file shop.key', 'the key goes to a file that only you can read'],
    ['vp instances create shop', 'the key is shown, once'],
  ],
  notes: 'An id that is taken is refused with one that is free. With --json: {"instance", "executor_key"}.',
  async run({ flags, words: [id = ''], json, environment }) {
    const file = flags['key-file'];
    const client = await connect(flags, environment);
    const keep = keyKeeper(file, environment);
    const port = flags['executor-port'];
    const input: InstanceNew = { instance_id: id, ...(port === undefined ? {} : { executor_port: port }) };
    const { instance, executor_key: key } = await client.instances.create(input);
    keep(key);
    const shown = { instance, executor_key: file === undefined ? key : null, key_file: file ?? null };
    const text = `instance ${instance.instance_id} is registered\n${keyText(instance.instance_id, key, file, lineFlag(client))}`;
    environment.streams.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : text);
    return exitCode.done;
  },
});
