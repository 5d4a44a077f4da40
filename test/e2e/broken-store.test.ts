/** Stores that cannot be used: each start says what is wrong and what to do, and changes nothing. */
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Harm, planeFolder, refuses, type Start, serve, storeHarms } from './harms.ts';
import { configText } from './house.ts';
import { scene } from './stage.ts';

scene('a control plane and a store that cannot be used', async (t, stage) => {
  await refuses(t, stage, serve, await planeFolder(stage), storeHarms('control.db'));
});

scene('an executor and a store that cannot be used', async (t, stage) => {
  const product = join(stage.folder, 'product');
  stage.write('product/platform-config.yaml', configText('http://127.0.0.1:9'));
  const executor: Start = {
    words: (data) => ['executor', '--port', '0', '--data', data, '--product-dir', product],
    variables: { VP_EXECUTOR_KEY: `vpe_${'a'.repeat(43)}`, VP_CONTROL_PLANE: 'http://127.0.0.1:9' },
  };
  const whole = join(stage.folder, 'whole-executor');
  const running = stage.vp([...executor.words(whole), '--json'], { variables: executor.variables ?? {} });
  await running.said(/listening/);
  running.signal('SIGTERM');
  t.match(await running.ended, { code: 0 });

  const control = join(await planeFolder(stage), 'control.db');
  const mixedUp: Harm = {
    what: 'it is the control plane’s',
    harm: (folder) => copyFileSync(control, join(folder, 'executor.db')),
    code: 'STORE_FOREIGN',
    exit: 4,
    says: /--data/,
  };
  const exposed: Harm = {
    what: 'others may read its key for direct runs',
    harm: (folder) => chmodSync(join(folder, 'direct.key'), 0o604),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    says: /chmod 600/,
  };
  await refuses(t, stage, executor, whole, [...storeHarms('executor.db'), mixedUp, exposed]);
});
