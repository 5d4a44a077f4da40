import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { formatControlPlaneFlag, openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { createKeyWriter, formatKey, keyFileFlag } from './executor-key.ts';

/** `vp instances rotate-key`. */
export const instancesRotateKeyCommand = command({
  name: 'instances rotate-key',
  summary: 'replace the executor key; the old one is revoked at once',
  positionals: [{ name: 'id', describe: 'instance id', required: true, kind: 'instance' }],
  flags: { ...keyFileFlag, ...controlPlaneFlags },
  examples: [['vp instances rotate-key shop --key-file shop.key', 'then restart its executor']],
  notes: 'The executor is refused until it is restarted with the new key. With --json: {"executor_key"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const file = flags['key-file'];
    const client = await openClient(flags, environment);
    const writeKey = createKeyWriter(file, environment);
    const { executor_key: key } = await client.instances.rotateKey(id);
    writeKey(key);
    const document = { instance_id: id, executor_key: file === undefined ? key : null, key_file: file ?? null };
    const next = formatKey(id, key, file, formatControlPlaneFlag(client));
    const text = `instance ${id} has a new key; its executor is refused until it uses it\n${next}`;
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});
