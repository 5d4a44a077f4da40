/** Unusable stores: each start reports the problem and the fix, and changes nothing. */
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assertStartsRefused,
  createControlPlaneFolder,
  type DataFault,
  type RoleStart,
  serve,
  storeFaults,
} from './fault-injection.ts';
import { sandboxTest } from './sandbox.ts';
import { configText } from './test-environment.ts';

sandboxTest('a control plane and a store that cannot be used', async (t, sandbox) => {
  await assertStartsRefused(t, sandbox, serve, await createControlPlaneFolder(sandbox), storeFaults('control.db'));
});

sandboxTest('an executor and a store that cannot be used', async (t, sandbox) => {
  const product = join(sandbox.folder, 'product');
  sandbox.write('product/platform-config.yaml', configText('http://127.0.0.1:9'));
  const executor: RoleStart = {
    args: (data) => ['executor', '--port', '0', '--data', data, '--product-dir', product],
    variables: { VP_EXECUTOR_KEY: `vpe_${'a'.repeat(43)}`, VP_CONTROL_PLANE: 'http://127.0.0.1:9' },
  };
  const intactFolder = join(sandbox.folder, 'whole-executor');
  const running = sandbox.vp([...executor.args(intactFolder), '--json'], { variables: executor.variables ?? {} });
  await running.waitForOutput(/listening/);
  running.signal('SIGTERM');
  t.match(await running.ended, { code: 0 });

  const control = join(await createControlPlaneFolder(sandbox), 'control.db');
  const foreignStore: DataFault = {
    description: 'it is the control plane’s',
    inject: (folder) => copyFileSync(control, join(folder, 'executor.db')),
    code: 'STORE_FOREIGN',
    exit: 4,
    messagePattern: /--data/,
  };
  const exposedKey: DataFault = {
    description: 'others may read its key for direct runs',
    inject: (folder) => chmodSync(join(folder, 'direct.key'), 0o604),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    messagePattern: /chmod 600/,
    isFoundLate: true,
  };
  await assertStartsRefused(t, sandbox, executor, intactFolder, [
    ...storeFaults('executor.db'),
    foreignStore,
    exposedKey,
  ]);
});
