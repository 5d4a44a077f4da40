import { command } from '../../command-line/command.ts';
import type { HubConnectionProbeResult } from '../../contract/hubs/connection-use-api.ts';
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
import { formatServerProbe, formatWaitingDefinitions, getProbeExitCode } from './probe-text.ts';

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
      const { tools: listed, tools_count: count } = result;
      const countNote = count > listed.length ? ` (the first ${listed.length} are listed below)` : '';
      streams.stdout.write(`${formatServerProbe(result, countNote)}${tools}`);
      const waiting = isNew ? '' : await formatWaitingDefinitions(client, hub, server);
      streams.stdout.write(await completeCommands(waiting, { environment, catalogue }));
    }
    return getProbeExitCode(result);
  },
});
