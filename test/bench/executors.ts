/** Executors of several instances in one process: `node executors.ts <settings.json>`; see plane.ts for the settings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startExecutorRole } from '../../src/assemble/executor-role.ts';
import { openLog } from '../../src/assemble/process-log.ts';
import { createClient } from '../../src/client/client.ts';
import { executorPort } from '../../src/client/executor-port.ts';
import { processEnvironment } from '../../src/environment/environment.ts';
import { configOrThrow, loadProject } from '../../src/project/load.ts';

type Settings = {
  readonly controlPlane: string;
  readonly baseUrl: string;
  readonly productDir: string;
  readonly folder: string;
  readonly keys: readonly string[];
};

const settings: Settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const { controlPlane, baseUrl, productDir, folder, keys } = settings;
const environment = processEnvironment();
const log = await openLog('executor', 'warn', environment.streams.stderr);
const project = configOrThrow(await loadProject(productDir, { use: 'local', baseUrl }));
const roles = await Promise.all(
  keys.map((token, place) => {
    const control = executorPort(createClient({ baseUrl: controlPlane, token, fetch }));
    return startExecutorRole({ environment, control, project, folder: join(folder, `store-${place}`), log });
  }),
);
environment.onInterrupt(async () => {
  await Promise.all(roles.map((role) => role.close()));
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ event: 'started', url: controlPlane })}\n`);
