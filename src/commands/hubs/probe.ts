import type { Client } from '../../client/client.ts';
import { command } from '../../command-line/command.ts';
import type { HubConnectionProbeResult } from '../../contract/hubs/connection-use-api.ts';
import { appendErrorCode } from '../../errors/append-code.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import {
  credentialFlags,
  parseCredential,
  parseProtocol,
  parseServer,
  protocolFlag,
  serverFlags,
} from './connection-flags.ts';

type Tool = HubConnectionProbeResult['tools'][number];

function readsOnly(annotations: Tool['annotations']): boolean {
  return annotations !== null && 'readOnlyHint' in annotations && annotations.readOnlyHint === true;
}

const columns: TableColumn<Tool>[] = [
  { title: 'TOOL', text: ({ name }) => name },
  { title: 'READ-ONLY', text: ({ annotations }) => (readsOnly(annotations) ? 'yes' : '') },
  { title: 'DESCRIPTION', text: ({ title, description }) => title ?? description ?? '', minWidth: 20, optional: true },
];

const name = 'hubs probe';

/** `vp hubs probe`. */
export const hubsProbeCommand = command({
  name,
  summary: 'list what a tool server offers, before or after it is connected',
  positionals: [
    hubArgument,
    { name: 'server', describe: 'a URL, or the name of an existing connection', required: true },
  ],
  flags: { ...serverFlags, ...credentialFlags, ...protocolFlag, ...controlPlaneFlags },
  examples: [
    ['vp hubs probe acme https://search.example.com/mcp', 'nothing is stored'],
    [
      'vp hubs probe acme search',
      'an existing connection, with its credential; `vp hubs tools` shows what it lists now',
    ],
  ],
  notes:
    'The control plane calls the server, not this machine. The hub adopts the lists of an existing connection that is enabled: clients get them, and definitions that are new or have changed wait for an owner (`vp hubs tools`). Exit code 1: the server could not be used. With --json: the result.',
  async run({ flags, args: [hub = '', server = ''], json, environment, catalogue }) {
    const { streams, variables } = environment;
    const credential = await parseCredential(flags, environment, name);
    const client = await openClient(flags, environment);
    const { hubConnectionUse: hubConnect } = client;
    const isNew = flags.stdio || /^[a-z]+:\/\//i.test(server);
    const result = isNew
      ? await hubConnect.probe(hub, {
          ...parseServer(flags, server),
          ...(credential ? { credential } : {}),
          ...parseProtocol(flags),
        })
      : await hubConnect.probeConnection(hub, server);
    if (json) streams.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    else {
      const tools = formatTable(result.tools, columns, streams.stdout, paintFor(streams.stdout, variables));
      streams.stdout.write(`${formatProbe(result)}${tools}`);
      const waitingCount = isNew ? 0 : await countWaiting(client, hub, server);
      streams.stdout.write(await completeCommands(formatWaiting(hub, waitingCount), { environment, catalogue }));
    }
    return exitCodeFor(result);
  },
});

/** Of a connection by its name or id. */
async function countWaiting({ hubs, hubPolicy }: Client, hub: string, ref: string): Promise<number> {
  const definitions = await hubPolicy.listTools(hub, { kind: 'any', state: 'held' });
  if (definitions.length === 0) return 0;
  const match = (await hubs.listConnections(hub)).find(({ connection_id: id, name }) => id === ref || name === ref);
  return definitions.filter(({ connection }) => connection === match?.name).length;
}

function exitCodeFor({ problem }: HubConnectionProbeResult): ExitCode {
  return problem === null ? exitCode.done : exitCode.checkFailed;
}

function formatProbe(result: HubConnectionProbeResult): string {
  const { server, protocol_version: version, problem, warning } = result;
  const serverName = server ? `${server.name} ${server.version}` : 'the server';
  const lines = problem
    ? [`✕ ${appendErrorCode(problem.message, problem.code)}`, `  ${problem.cure}`]
    : [
        `✓ ${serverName} answered in ${Math.round(result.duration_ms)} ms${version === null ? '' : `, MCP ${version}`}`,
        formatCounts(result),
      ];
  if (warning !== null) lines.push(`! ${warning}`);
  return `${lines.map(escapeUnsafeLine).join('\n')}\n`;
}

function formatWaiting(hub: string, count: number): string {
  if (count === 0) return '';
  const subject =
    count === 1
      ? '1 definition is new or has changed, and waits'
      : `${count} definitions are new or have changed, and wait`;
  return `! ${subject} for an owner: \`vp hubs tools ${hub} --held\` lists what waits\n`;
}

function formatCounts({
  tools,
  tools_count: count,
  resources_count: resources,
  prompts_count: prompts,
}: HubConnectionProbeResult) {
  const truncationNote = count > tools.length ? ` (the first ${tools.length} are listed below)` : '';
  const counts = [
    `${formatCount(count, 'tool')}${truncationNote}`,
    formatCount(resources, 'resource'),
    formatCount(prompts, 'prompt'),
  ];
  return `  ${counts.join(', ')}`;
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
