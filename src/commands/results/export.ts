import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatSize } from '../../report/measures.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';
import { formatSystemErrorCode, prepareOutputFile, writeOutputFile } from '../output-file.ts';
import { findResult, type ResultReference } from './result-reference.ts';

/** `vp export`. */
export const exportCommand = command({
  name: 'export',
  summary: 'write a run or suite to one HTML file',
  positionals: [
    { name: 'result', describe: 'id of a run or suite, or a part of a run id', required: true, kind: 'run' },
  ],
  flags: {
    out: { type: 'string', placeholder: '<file>', describe: 'default: <id>.html in this folder' },
    force: { type: 'boolean', default: false, describe: 'replace the file if it exists' },
    instance: instanceFlag,
    ...controlPlaneFlags,
  },
  examples: [
    ['vp export 20261120T143012345', 'writes 20261120T143012345.html'],
    ['vp export s20261120T143012345 --out out/nightly.html', 'a suite, with all of its runs'],
  ],
  notes:
    'The file loads nothing, so that it can be sent to somebody and read offline. What reports hide is hidden in it too. ' +
    'Runs that have not ended are named as such. With --json: {"file": "…", "size_bytes": n}.',
  async run({ flags, args: [text = ''], json, environment }) {
    const { streams, cwd, random } = environment;
    const client = await openClient(flags, environment);
    const reference = await findResult(client, text, flags.instance);
    const file = resolve(cwd, flags.out ?? `${reference.id}.html`);
    assertReplaceable(file, flags);
    const html = await renderHtml(client, reference);
    try {
      prepareOutputFile(file);
      writeOutputFile(file, html, random);
    } catch (cause) {
      throw vpError('RUN_REPORT_UNWRITABLE', { file, reason: formatSystemErrorCode(cause) }, { cause });
    }
    const sizeBytes = Buffer.byteLength(html);
    const result = `${reference.kind} ${reference.id} is in ${file} (${formatSize(sizeBytes)})\n`;
    streams.stdout.write(json ? `${JSON.stringify({ file, size_bytes: sizeBytes })}\n` : result);
    return exitCode.done;
  },
});

function assertReplaceable(
  file: string,
  { out, force }: { readonly out?: string | undefined; readonly force: boolean },
) {
  // `resolve` removes the slash of a folder that does not exist yet.
  const isFolder = /[/\\]$/.test(out ?? '') || statSync(file, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) throw vpError('EXPORT_FILE_IS_FOLDER', { file });
  if (!force && existsSync(file)) throw vpError('EXPORT_FILE_EXISTS', { file });
}

async function renderHtml({ runs, suites, failures }: Client, reference: ResultReference): Promise<string> {
  const { kind, id } = reference;
  if (kind === 'run') return runs.renderReport(id, 'html');
  if (kind === 'suite') return suites.renderReport(reference.instance, id, 'html');
  const [newest] = (await failures.get(reference.instance, id)).newest_runs;
  throw vpError('EXPORT_OF_FAILURE', { failure: id, run: newest?.run_id ?? '<run id>' });
}
