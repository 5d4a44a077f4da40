import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect, lineFlag } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { keyFileFlag, keyKeeper, keyText } from './instances/executor-key.ts';

/** `vp instances rotate-key`. */
export const instancesRotateKeyCommand = command({
  name: 'instances rotate-key',
  summary: 'make a new executor key; the old one ends at once',
  positionals: [{ name: 'id', describe: 'instance id', required: true }],
  flags: { ...keyFileFlag, ...controlPlaneFlags },
  examples: [['vp instances rotate-key shop --key-file shop.key', 'then start its executor again']],
  notes: 'The executor is refused until it is started again with the new key. With --json: {"executor_key"}.',
  async run({ flags, words: [id = ''], json, environment }) {
    const file = flags['key-file'];
    const client = await connect(flags, environment);
    const keep = keyKeeper(file, environment);
    const { executor_key: key } = await client.instances.rotateKey(id);
    keep(key);
    const shown = { instance_id: id, executor_key: file === undefined ? key : null, key_file: file ?? null };
    const next = keyText(id, key, file, lineFlag(client));
    const text = `instance ${id} has a new key; its executor is refused until it has it\n${next}`;
    environment.streams.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : text);
    return exitCode.done;
  },
});
