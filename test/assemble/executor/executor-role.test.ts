import { join } from 'node:path';
import t from 'tap';
import { startExecutorRole } from '../../../src/assemble/executor/executor-role.ts';
import { startTestControlPlane } from '../../commands/test-control-plane.ts';
import { createWorkspace } from '../../commands/test-workspace.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { createTestProject } from '../../executor/test-project.ts';

t.test('an executor whose log does not exist yet starts, and says so', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', { 'app.log': '' });
  const plane = await startTestControlPlane(t, workspace);
  await plane.registerInstance('shop');
  const ignore = () => {};
  for (const [file, expected] of [
    ['missing.log', [/^the log of the target cannot be read yet: there is no log file .*missing\.log/]],
    ['app.log', []],
  ] as const) {
    const warnings: string[] = [];
    const role = await startExecutorRole({
      environment: memoryEnvironment({ cwd: workspace.folder }).environment,
      control: plane.control.executorPort('shop'),
      project: createTestProject({ baseUrl: 'http://127.0.0.1:1', token: 'x'.repeat(20) }),
      folder: join(workspace.folder, `executor of ${file}`),
      logSource: file,
      log: { error: ignore, warn: (_fields, message) => warnings.push(message), info: ignore, debug: ignore },
    });
    await role.close();
    t.match(warnings, expected);
    t.equal(warnings.length, expected.length);
  }
});
