/** What is refused before anything is looked at, and what a dry run tells. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { onboard } from '../../src/onboarding/onboard.ts';
import { planOnboarding } from '../../src/onboarding/plan.ts';
import { createWorkspace } from '../commands/test-workspace.ts';
import { createListingEngine, createTestMachine, target } from './onboarding-machine.ts';
import { createTestPlatform } from './preflight/preflight-context.ts';

t.test(
  'the form of the id and the tag of the image are checked before an engine or a control plane is asked',
  async (t) => {
    const { vp, folder } = createWorkspace(t, 'http://127.0.0.1:1');
    for (const name of ['product', 'test']) mkdirSync(join(folder, name), { recursive: true });
    const variables = { PATH: '/nowhere', VP_CONTROL_PLANE: 'http://127.0.0.1:1' };
    const run = (...args: readonly string[]) => vp(['onboard', ...args], { variables });
    t.match(await run('--instance-id', 'Bad_Id'), { code: 2, stderr: /INSTANCE_ID_INVALID/ });
    t.match(await run('--image', 'vp:slim'), { code: 2, stderr: /IMAGE_TAG_REFUSED/ });
    t.match(await run('--instance-id', '../../evil', '--dry-run'), { code: 2, stderr: /INSTANCE_ID_INVALID/ });
    t.match(
      await run('--instance-id', 'shop'),
      { code: 4, stderr: /no container engine is installed/ },
      'the usual folders are found',
    );
  },
);

t.test('without the usual folders the flags are asked for', async (t) => {
  const { vp, folder } = createWorkspace(t, 'http://127.0.0.1:1');
  mkdirSync(join(folder, 'elsewhere'));
  const args = ['onboard', '--product-dir', 'elsewhere'];
  t.match(await vp(args, { variables: { PATH: '/nowhere' } }), {
    code: 2,
    stderr: /--test-dir is needed: there is no folder \.\/test or \.\/test-agent/,
  });
});

t.test('a dry run tells the id that the run would use, warnings, and everything that it would make', async (t) => {
  const config = `project: {name: shop}
targets: {http: {base_url: "http://app:3100/api"}}
deploy: {compose_project: shop, network: shop-net}
`;
  const { run, client, api, folder } = await createTestMachine(t, { config });
  await api.control.instances.create({ instance_id: 'shop' }, { name: 'Ben' });
  const platform = createTestPlatform({ engine: async () => createListingEngine(target) });
  const plan = await planOnboarding(run({ ports: { platform, existingClient: async () => client } }));
  t.equal(plan.instance, 'shop-v1');
  t.match(plan.notes.join('\n'), /the instance id shop is taken: shop-v1 is used/);
  t.match(plan.notes.join('\n'), /base_url/, 'a warning about the config');
  t.match(plan.notes.join('\n'), /the log reader gets the socket of the container engine/);
  const names = plan.items.map(({ kind, name }) => `${kind} ${name}`);
  const kit = join(folder, 'home/.local/share/vp/kits/shop-v1');
  for (const name of ['volume platform-router_config', `file ${kit}/`, `file ${kit}/direct.key`])
    t.ok(names.includes(name), name);
  const anonymous = await planOnboarding(run({ ports: { platform } }));
  t.match(anonymous.notes.join('\n'), /is known after the sign-in/);
});

t.test('an onboarding through the interface refuses the same', async (t) => {
  const { run } = await createTestMachine(t);
  const { request, ports } = run({ request: { instanceId: 'Bad_Id' } });
  const { signal } = new AbortController();
  await t.rejects(onboard({ request, ports, signal, onEvent: () => undefined }), { code: 'INSTANCE_ID_INVALID' });
});
