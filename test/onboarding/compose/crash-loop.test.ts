/** A container of the instance that the engine starts again and again, while compose waits for it. */
import { join } from 'node:path';
import t from 'tap';
import type { ContainerEngine } from '../../../src/containers/engine.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { createComposeContext } from '../../../src/onboarding/compose/compose-context.ts';
import { toPlatform } from '../../../src/onboarding/compose/compose-platform.ts';
import type { ComponentSpec } from '../../../src/onboarding/platform/platform.ts';
import { container, createFakeEngine } from '../preflight/preflight-context.ts';

const project = 'platform-inst-shop';
const executor = container({
  ...{ name: `${project}-executor-1`, project, service: 'executor', status: 'Restarting (78) 1 second ago' },
  networks: ['shop-net', 'platform-obs'],
});

/** Compose waits until it is ended; `restarts` are what the engine has counted at each look, the first before compose begins. */
function createLoopingEngine(restarts: readonly number[]) {
  const fake = createFakeEngine([executor], {});
  let looks = 0;
  const engine: ContainerEngine = {
    ...fake,
    run: async (args, options) => {
      const result = await fake.run(args, options);
      if (args[0] === 'logs') return { ...result, stderr: 'starting\n', stdout: 'the port is not a number\n' };
      if (args[0] !== 'container') return result;
      const count = restarts[Math.min(looks, restarts.length - 1)];
      looks += 1;
      return { ...result, stdout: `${executor.id}\t${count}\trestarting\t78\n` };
    },
    output: (args, options) => {
      const [kind, , , , , , , command] = args;
      if (kind !== 'compose' || command !== 'up') return fake.output(args, options);
      return new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new Error('compose was ended')));
      });
    },
  };
  return engine;
}

for (const restarts of [
  [0, 2, 4],
  [9, 10, 11],
])
  t.test(`an onboarding ends when a container was started again (${restarts.join(', ')} times)`, async (t) => {
    const folder = t.testdir();
    const paths = { data: join(folder, 'data'), config: join(folder, 'config'), cache: join(folder, 'cache') };
    const environment = { platform: 'linux', variables: {}, paths, random: systemRandom } as const;
    const engine = createLoopingEngine(restarts);
    const platform = toPlatform(createComposeContext(environment, { engine: async () => engine }));
    const spec: ComponentSpec<'instance'> = {
      ...{ component: 'instance', instanceId: 'shop', port: 8765, kit: folder, hasNewConfig: false },
      target: { composeProject: 'shop', network: 'shop-net' },
    };
    const options = { signal: new AbortController().signal, report: () => undefined };
    await t.rejects(platform.apply(spec, options), {
      code: 'INSTANCE_NOT_STARTED',
      message: new RegExp(
        `${project}-executor-1.* does not stay up: it was started again ${restarts.at(-1)} times, and ended with exit code 78; ` +
          'its last log lines: the port is not a number \\| starting',
      ),
    });
  });
