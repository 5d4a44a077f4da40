import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { hubFileSchemaPath } from '../../contract/hubs/hub-file.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { buildHubFileSchema } from '../../server/description/hub-file-schema.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { quoteWord } from '../new/paste.ts';
import { formatSystemErrorCode, writeOutputFile } from '../output-file.ts';
import { renderHubFile } from './as-code/hub-file-text.ts';
import { readHubState, toHubFile } from './as-code/hub-state.ts';

const name = 'hubs export';

/** `vp hubs export`. */
export const hubsExportCommand = command({
  name,
  summary: 'write a hub as a YAML file: settings, members, connections and policy, without secrets',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: false, kind: 'hub' }],
  flags: {
    out: { type: 'string', placeholder: '<file>', describe: 'the file to write, by default standard output' },
    force: { type: 'boolean', default: false, describe: 'replace a file that differs' },
    schema: { type: 'boolean', default: false, describe: 'print the JSON Schema of the file, for editors, and exit' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs export acme --out hub.yaml', 'then change it, and see `vp hubs diff hub.yaml`'],
    ['vp hubs export --schema > hub-file.schema.json', 'for completion and validation in an editor'],
  ],
  notes:
    'A credential in the file lacks its secret: say where it is read with `value: env:NAME`, `file:path` or `command:program argument`, or leave it out to keep the one that the hub has. With --json: {"file"}.',
  async run({ flags, args: [hub], json, environment }) {
    const { streams, cwd, random } = environment;
    if (flags.schema) {
      streams.stdout.write(`${JSON.stringify(buildHubFileSchema(), null, 2)}\n`);
      return exitCode.done;
    }
    if (hub === undefined) throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '<hub>' });
    const client = await openClient(flags, environment);
    const file = toHubFile(await readHubState(client, hub));
    const { baseUrl } = client.transport;
    const text = json ? `${JSON.stringify({ file }, null, 2)}\n` : `${renderHead(baseUrl)}${renderHubFile(file)}`;
    if (flags.out === undefined) {
      streams.stdout.write(text);
      return exitCode.done;
    }
    const path = resolve(cwd, flags.out);
    try {
      if (!flags.force && isOtherFile(path, text)) throw vpError('EXPORT_FILE_EXISTS', { file: flags.out });
      writeOutputFile(path, text, random);
    } catch (thrown) {
      if (thrown instanceof VpError) throw thrown;
      throw vpError('HUB_FILE_UNREADABLE', { file: flags.out, reason: formatSystemErrorCode(thrown) });
    }
    streams.stderr.write(`next: change ${flags.out}, then \`vp hubs diff ${quoteWord(flags.out)}\`\n`);
    return exitCode.done;
  },
});

/** An edited file may have references to secrets, which the hub does not return. */
function isOtherFile(path: string, text: string): boolean {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile && readFileSync(path, 'utf8') !== text;
}

/** Editors read the schema that the first line names. */
function renderHead(baseUrl: string): string {
  const schemaLine = baseUrl.startsWith('http')
    ? `# yaml-language-server: $schema=${baseUrl}${hubFileSchemaPath}\n`
    : '';
  return `${schemaLine}# Written by \`vp hubs export\`. Secrets are not in it: add \`value: env:NAME\` to a credential to set one.\n`;
}
