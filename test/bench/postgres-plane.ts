/**
 * A control plane from the sources, for measurements: `node postgres-plane.ts <data folder> [<database URL>]`. Without a URL its
 * stores are files, so that both engines are measured in the same form.
 */
import { mkdirSync } from 'node:fs';
import { startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { openProcessLog } from '../../src/assemble/process-log.ts';
import { processEnvironment } from '../../src/environment/environment.ts';
import { readPostgresSettings } from '../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../src/store/postgres/stores.ts';

const environment = processEnvironment();
const { args, clock, streams } = environment;
const [folder = '', url] = args;
mkdirSync(folder, { recursive: true });
const log = await openProcessLog('serve', 'warn', streams.stderr);
const settings = url && readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
const stores = settings
  ? await openPostgresStores({ settings, clock, hints: { kind: 'listen', settings } })
  : undefined;
const plane = await startControlPlane({ environment, folder, host: '127.0.0.1', port: 0, stores, log });
streams.stdout.write(`${JSON.stringify({ url: plane.url, owner_key_file: plane.ownerKeyFile })}\n`);
process.once('SIGTERM', async () => {
  await plane.close();
  await stores?.close();
});
