/** The compose files that onboarding will write, for whoever wants to read them before: made with an example's names. */
import { version } from '../../environment/version.ts';
import { instanceStack } from '../stacks/instance.ts';
import { observabilityStack } from '../stacks/observability.ts';
import { routerStack } from '../stacks/router.ts';
import type { Stack } from '../stacks/stack.ts';

const head =
  '# For reading only. Onboarding writes the file that is used, with the names and numbers of this machine.\n';
const image = `vp:v${version}-slim`;

/** Name below the kit's folder and text of each. */
export function referenceStacks(): readonly { readonly name: string; readonly text: string }[] {
  const controlPlane = { kind: 'socket', folder: '/home/example/.local/share/vp/executors' } as const;
  const target = { network: 'example_default', composeProject: 'example' };
  const engine = { engineSocket: '/var/run/docker.sock', socketGroup: 999, selinux: false };
  const instance = instanceStack({ instanceId: 'example', image, port: 8765, controlPlane, ...target, ...engine });
  const stacks: readonly (readonly [string, Stack])[] = [
    ['instance', instance],
    ['router', routerStack({ image })],
    ['dashboard', observabilityStack({ image, controlPlane })],
  ];
  return stacks.flatMap(([name, { files }]) => {
    const text = files['compose.yaml'];
    return text === undefined ? [] : [{ name: `compose/reference/${name}.yaml`, text: head + text }];
  });
}
