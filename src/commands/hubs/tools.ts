import { command } from '../../command-line/command.ts';
import type { HubTool } from '../../contract/hubs/policy-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

export const definitionKinds = ['tool', 'prompt', 'resource', 'template'] as const;

const columns: TableColumn<HubTool>[] = [
  { title: 'CONNECTION', text: ({ connection }) => connection },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'NAME', text: ({ tool }) => tool, minWidth: 10 },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'WHY', text: formatReasons, minWidth: 10, optional: true },
];

/** Without a flag, a definition is held because it is not the approved one. */
function formatReasons({ state, listed, approved, flags }: HubTool): string {
  const isChanged = state === 'held' && approved !== null;
  return [
    ...(listed === false ? ['its server no longer lists it'] : []),
    ...(isChanged ? ['it changed since it was approved'] : []),
    ...flags.map(({ message }) => message),
  ].join('; ');
}

/** `vp hubs tools`. */
export const hubsToolsCommand = command({
  name: 'hubs tools',
  summary: 'list the tools, prompts and resources of a hub, and what waits for approval',
  positionals: [hubArgument],
  flags: {
    kind: {
      type: 'string',
      placeholder: '<kind>',
      choices: [...definitionKinds, 'any'],
      describe: 'list only this kind; default any',
    },
    held: { type: 'boolean', describe: 'list only what waits for approval' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs tools acme --held', 'what waits for an owner'],
    ['vp hubs tools acme --kind prompt --json', 'prompts, with their definitions and differences'],
  ],
  notes:
    'What waits for approval comes first; `vp hubs approve` shows it and approves it. `vp hubs probe` reads the lists of a server again. With --json: {"tools": […]}.',
  async run({ flags, args: [hub = ''], json, environment, catalogue }) {
    const { streams, variables } = environment;
    const { hubPolicy, hubs } = await openClient(flags, environment);
    const kind = [...definitionKinds, 'any' as const].find((name) => name === flags.kind) ?? 'any';
    const tools = await hubPolicy.listTools(hub, { kind, ...(flags.held ? { state: 'held' as const } : {}) });
    const text = formatTable(tools, columns, streams.stdout, paintFor(streams.stdout, variables));
    if (json) streams.stdout.write(`${JSON.stringify({ tools }, null, 2)}\n`);
    else if (text !== '') streams.stdout.write(text);
    else if (flags.held) streams.stdout.write('nothing waits for an approval\n');
    else {
      const connections = (await hubs.listConnections(hub)).filter(({ enabled }) => enabled);
      const empty = describeNothing(
        hub,
        kind,
        connections.map((connection) => connection.name),
      );
      streams.stdout.write(await completeCommands(empty, { environment, catalogue }));
    }
    return exitCode.done;
  },
});

/** Why there is nothing to list, and what to do. Ends with a line break. */
function describeNothing(hub: string, kind: string, connections: readonly string[]): string {
  const [first] = connections;
  if (first === undefined)
    return `${hub} has no enabled connection; connect a server with \`vp hubs connect ${hub} <name> <url>\`\n`;
  const kindText = kind === 'any' ? 'anything' : `a ${kind}`;
  return `no server of ${hub} has listed ${kindText} yet; the hub asks them when a client lists tools, and \`vp hubs probe ${hub} ${first}\` asks one now\n`;
}
