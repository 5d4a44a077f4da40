/** Compose files like those that onboarding writes, with example names, for reading beforehand. */
import { version } from '../../../environment/version.ts';
import { buildInstanceStack } from './instance-stack.ts';
import { buildObservabilityStack } from './observability-stack.ts';
import { buildRouterStack } from './router-stack.ts';
import type { ComposeStack } from './stack.ts';

const readOnlyNotice =
  '# For reading only. Onboarding writes the file that is used, with the names and numbers of this machine.\n';
const image = `vp:v${version}-slim`;

/** `name` is relative to the kit's folder. */
export function buildReferenceFiles(): readonly { readonly name: string; readonly text: string }[] {
  const controlPlane = { kind: 'socket', folder: '/home/example/.local/share/vp/executors' } as const;
  const target = { network: 'example_default', composeProject: 'example' };
  const engine = { engineSocket: '/var/run/docker.sock', socketGroup: 999, selinux: false };
  const instance = buildInstanceStack({ instanceId: 'example', image, port: 8765, controlPlane, ...target, ...engine });
  const stacks: readonly (readonly [string, ComposeStack])[] = [
    ['instance', instance],
    ['router', buildRouterStack({ image })],
    ['dashboard', buildObservabilityStack({ image, controlPlane })],
  ];
  return stacks.flatMap(([name, { files }]) => {
    const text = files['compose.yaml'];
    return text === undefined ? [] : [{ name: `compose/reference/${name}.yaml`, text: readOnlyNotice + text }];
  });
}
