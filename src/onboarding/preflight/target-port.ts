/** The target's published ports: the target itself holds them, which is right; anybody else keeps it from starting. */
import { type Container, containersOfProject } from '../../containers/containers.ts';
import type { Engine } from '../../containers/engine.ts';
import { holderText } from '../../containers/port-holders.ts';
import { loadProject } from '../../project/load.ts';
import { type Check, type Findings, fine, problem, skipped, together } from './check.ts';
import type { PreflightContext } from './context.ts';

type Asked = Pick<PreflightContext, 'engine' | 'holderOf' | 'productDir'>;

/** Given the product folder, whose config names the target's project. */
export const targetPortCheck: Check<Asked> = {
  id: 'target_port',
  title: 'published ports of the target',
  async look(context) {
    const { engine, productDir } = context;
    if (productDir === undefined) return skipped('not looked at without --product-dir');
    const project = (await loadProject(productDir)).config?.deploy?.composeProject;
    if (project === undefined) return skipped('not looked at: the config names no compose project');
    const opened = await engine().catch(() => undefined);
    if (!opened) return skipped('not looked at without a container engine');
    const found = await containersOfProject(opened, project);
    if (found.length === 0) {
      const { program } = opened.facts;
      return { facts: [], problems: [problem('TARGET_ABSENT', { project, program })] };
    }
    return together(await Promise.all(found.map((container) => portsOf(container, opened, context))));
  },
};

async function portsOf(container: Container, engine: Engine, { holderOf }: Asked): Promise<Findings> {
  const { name, state, project } = container;
  const ports = await publishedPorts(engine, container);
  const looks = ports.map(async (port): Promise<Findings> => {
    const holder = await holderOf(port);
    if (holder?.container?.project === project) return fine(`${port} held by ${name}, as it should`);
    if (!holder) return fine(`${port} free for ${name}, which is ${state}`);
    const use = `the target's container ${name}`;
    return { facts: [], problems: [problem('PORT_TAKEN', { port, use, holder: holderText(holder) })] };
  });
  return together(await Promise.all(looks));
}

/** As it was started with; a stopped container's own list is empty. Only these settings are read: others hold secrets. */
async function publishedPorts(engine: Engine, { id }: Container): Promise<number[]> {
  const text = await engine.output(['inspect', '--format', '{{json .HostConfig.PortBindings}}', id]);
  const ports = [...text.matchAll(/"HostPort":"(\d+)"/g)].map(([, port]) => Number(port));
  return [...new Set(ports)].filter((port) => port > 0);
}
