import { command } from '../../command-line/command.ts';
import type { HubTool } from '../../contract/hubs/policy-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

export const definitionKinds = ['tool', 'prompt', 'resource', 'template'] as const;

const columns: TableColumn<HubTool>[] = [
  { title: 'CONNECTION', text: ({ connection }) => connection },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'NAME', text: ({ tool }) => tool, minWidth: 10 },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'WHY', text: formatReasons, minWidth: 10, optional: true },
];

/** Without a flag, a definition is held because it is not the approved one. */
function formatReasons({ state, approved, flags }: HubTool): string {
  const isChanged = state === 'held' && approved !== null;
  return [...(isChanged ? ['it changed since it was approved'] : []), ...flags.map(({ message }) => message)].join(
    '; ',
  );
}

/** `vp hubs tools`. */
export const hubsToolsCommand = command({
  name: 'hubs tools',
  summary: 'list the definitions that the servers of a hub offer, those that wait for an owner first',
  positionals: [hubArgument],
  flags: {
    kind: {
      type: 'string',
      placeholder: '<kind>',
      choices: [...definitionKinds, 'any'],
      describe: 'what to list; by default everything',
    },
    held: { type: 'boolean', describe: 'only what waits for an approval' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs tools acme --held', 'what waits for an owner'],
    ['vp hubs tools acme --kind prompt --json', 'with the definitions and the differences'],
  ],
  notes: 'Approve with `vp hubs approve`, which shows the difference. With --json: {"tools": […]}.',
  async run({ flags, args: [hub = ''], json, environment }) {
    const { streams, variables } = environment;
    const { hubPolicy } = await openClient(flags, environment);
    const kind = [...definitionKinds, 'any' as const].find((name) => name === flags.kind) ?? 'any';
    const tools = await hubPolicy.listTools(hub, { kind, ...(flags.held ? { state: 'held' as const } : {}) });
    const text = formatTable(tools, columns, streams.stdout, paintFor(streams.stdout, variables));
    const emptyText = flags.held
      ? 'nothing waits for an approval\n'
      : `no server of ${hub} has listed anything yet: they are asked when a client of the hub lists tools; \`vp hubs probe ${hub} <connection>\` asks one now\n`;
    streams.stdout.write(json ? `${JSON.stringify({ tools }, null, 2)}\n` : text || emptyText);
    return exitCode.done;
  },
});
