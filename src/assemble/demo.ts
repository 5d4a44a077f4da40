/** The worked example, a control plane and an executor in one process, on free ports and in a folder that is thrown away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { startExample } from '../../compose/example/server.ts';
import { assetNames, assetText } from '../environment/asset.ts';
import type { Environment } from '../environment/environment.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { streamSource } from '../logs/stream-source.ts';
import { parseProject } from '../project/parse.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import type { ProcessLog } from './process-log.ts';

/** The instance of the demo. */
export const demoInstance = 'document-signing';

/** A running demo. `planted` is a scenario that fails on purpose; `logLines` is what the application has logged. */
export type Demo = {
  readonly instance: string;
  readonly applicationUrl: string;
  readonly plane: Embedded;
  readonly scenarioIds: readonly string[];
  readonly planted: string;
  readonly logLines: readonly string[];
  close(): Promise<void>;
};

/** The example's own config, with its address replaced: a compose name does not resolve on this machine. */
function projectFor(baseUrl: string, apiToken: string): ProjectConfig {
  const configText = assetText('compose/example/product/platform-config.yaml');
  const envText = `API_TOKEN=${apiToken}\nDATABASE_PASSWORD=not-used-here\n`;
  const files = { configFile: 'platform-config.yaml', envFile: '.env', envUnreadable: false };
  let problem: VpError | undefined;
  const config = parseProject({ configText, envText, ...files }, { use: 'local', baseUrl }, (found) => {
    if (found.severity === 'error') problem ??= new VpError(found, {});
  });
  if (!config) throw problem ?? new TypeError('a config is absent only where a problem is an error');
  // The example keeps its rows in SQLite here: there is no PostgreSQL to be read.
  return { ...config, targets: { ...config.targets, database: undefined } };
}

function exampleScenarios() {
  const files = assetNames('compose/example/test/scenarios').filter((name) => name.endsWith('.md'));
  return files.map((file) => ({ id: file.replace(/^.*\/|\.md$/g, ''), text: assetText(file), file }));
}

function temporaryFolder(): string {
  const prefix = join(tmpdir(), 'vp-demo-');
  try {
    return mkdtempSync(prefix);
  } catch (cause) {
    throw vpError('DEMO_FOLDER_UNWRITABLE', { folder: tmpdir() }, { cause });
  }
}

/** Starts everything. Throws DEMO_FOLDER_UNWRITABLE. Rejects with what a part throws; nothing is left then. */
export async function startDemo(environment: Environment, log: ProcessLog): Promise<Demo> {
  const logLines: string[] = [];
  const { random, clock } = environment;
  const apiToken = random.token(16);
  const written = new PassThrough();
  const keep = (line: string): void => {
    logLines.push(line);
    written.write(`${line}\n`);
  };
  const folder = temporaryFolder();
  const example = await startExample({ port: 0, host: '127.0.0.1', apiToken, log: keep, clock });
  const clean = async (): Promise<void> => {
    await example.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const project = projectFor(example.url, apiToken);
    const scenarios = exampleScenarios();
    const logFrom = streamSource(written, clock);
    const place = { environment, folder, host: '127.0.0.1', port: 0, log };
    const plane = await startEmbedded({ ...place, instance: demoInstance, project, scenarios, logFrom });
    const close = async (): Promise<void> => {
      await plane.close();
      await clean();
    };
    const planted = assetText('compose/example/planted/RT-GET-envelope-planted.md');
    return {
      instance: demoInstance,
      applicationUrl: example.url,
      plane,
      scenarioIds: scenarios.map(({ id }) => id),
      planted,
      logLines,
      close,
    };
  } catch (error) {
    await clean();
    throw error;
  }
}
