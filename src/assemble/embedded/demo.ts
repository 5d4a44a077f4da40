/** The worked example, a control plane and an executor in one process, on free ports and in a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { startExample } from '../../../compose/example/server.ts';
import { listAssets, readAsset } from '../../environment/asset.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { openStreamSource } from '../../logs/sources/stream-source.ts';
import { parseProject } from '../../project/parse-project.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { ProcessLog } from '../process-log.ts';
import { type EmbeddedControlPlane, startEmbedded } from './embedded.ts';

export const demoInstance = 'document-signing';

/** `failingScenario` is a scenario that fails on purpose; `logLines` are those of the example application. */
export type Demo = {
  readonly instance: string;
  readonly applicationUrl: string;
  readonly plane: EmbeddedControlPlane;
  readonly scenarioIds: readonly string[];
  readonly failingScenario: string;
  readonly logLines: readonly string[];
  close(): Promise<void>;
};

/** The example's config with another base URL: its compose host name does not resolve on this machine. */
function parseExampleProject(baseUrl: string, apiToken: string): ProjectConfig {
  const configText = readAsset('compose/example/product/platform-config.yaml');
  const envText = `API_TOKEN=${apiToken}\nDATABASE_PASSWORD=not-used-here\n`;
  const files = { configFile: 'platform-config.yaml', envFile: '.env', envUnreadable: false };
  let problem: VpError | undefined;
  const config = parseProject({ configText, envText, ...files }, { use: 'local', baseUrl }, (problemDetails) => {
    if (problemDetails.severity === 'error') problem ??= new VpError(problemDetails, {});
  });
  if (!config) throw problem ?? new TypeError('a config is absent only where a problem is an error');
  // In the demo the example stores its rows in SQLite, so there is no PostgreSQL database.
  return { ...config, targets: { ...config.targets, database: undefined } };
}

function readExampleScenarios() {
  const files = listAssets('compose/example/test/scenarios').filter((name) => name.endsWith('.md'));
  return files.map((file) => ({ id: file.replace(/^.*\/|\.md$/g, ''), text: readAsset(file), file }));
}

function createTemporaryFolder(): string {
  const prefix = join(tmpdir(), 'vp-demo-');
  try {
    return mkdtempSync(prefix);
  } catch (cause) {
    throw vpError('DEMO_FOLDER_UNWRITABLE', { folder: tmpdir() }, { cause });
  }
}

/** Rejects with DEMO_FOLDER_UNWRITABLE and the errors of the roles; nothing is left running or on disk then. */
export async function startDemo(environment: Environment, log: ProcessLog): Promise<Demo> {
  const logLines: string[] = [];
  const { random, clock } = environment;
  const apiToken = random.token(16);
  const logStream = new PassThrough();
  const addLogLine = (line: string): void => {
    logLines.push(line);
    logStream.write(`${line}\n`);
  };
  const folder = createTemporaryFolder();
  const example = await startExample({ port: 0, host: '127.0.0.1', apiToken, log: addLogLine, clock });
  const removeAll = async (): Promise<void> => {
    await example.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const project = parseExampleProject(example.url, apiToken);
    const scenarios = readExampleScenarios();
    const logFrom = openStreamSource(logStream, clock);
    const baseOptions = { environment, folder, host: '127.0.0.1', port: 0, log };
    const plane = await startEmbedded({
      ...baseOptions,
      instance: demoInstance,
      project,
      scenarios,
      logSource: logFrom,
    });
    const close = async (): Promise<void> => {
      await plane.close();
      await removeAll();
    };
    const failingScenario = readAsset('compose/example/planted/RT-GET-envelope-planted.md');
    return {
      instance: demoInstance,
      applicationUrl: example.url,
      plane,
      scenarioIds: scenarios.map(({ id }) => id),
      failingScenario,
      logLines,
      close,
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}
