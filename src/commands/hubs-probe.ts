import type { HubConnectionProbed } from '../contract/hub-connect-api.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { credentialFlags, credentialOf, serverFlags, serverOf } from './hubs/connection-flags.ts';

type Tool = HubConnectionProbed['tools'][number];

function readsOnly(annotations: Tool['annotations']): boolean {
  return annotations !== null && 'readOnlyHint' in annotations && annotations.readOnlyHint === true;
}

const columns: Column<Tool>[] = [
  { title: 'TOOL', of: ({ name }) => name },
  { title: 'CHANGES', of: ({ annotations }) => (readsOnly(annotations) ? 'nothing' : 'maybe') },
  { title: 'WHAT IT SAYS', of: ({ title, description }) => title ?? description ?? '', least: 20, spare: true },
];

const name = 'hubs probe';

/** `vp hubs probe`. */
export const hubsProbeCommand = command({
  name,
  summary: 'look at what a tool server offers, before it is connected or later',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'server', describe: 'an address, or the name of a connection that there is', required: true },
  ],
  flags: { ...serverFlags, ...credentialFlags, ...controlPlaneFlags },
  examples: [
    ['vp hubs probe acme https://search.example.com/mcp', 'nothing is kept'],
    ['vp hubs probe acme search', 'a connection that there is, with its credential'],
  ],
  notes:
    'The control plane calls the server, not this machine. Exit code 1: it did not go well. With --json: what was learnt.',
  async run({ flags, words: [hub = '', server = ''], json, environment }) {
    const { streams, variables } = environment;
    const credential = await credentialOf(flags, environment, name);
    const { hubConnect } = await connect(flags, environment);
    const isNew = flags.stdio || /^[a-z]+:\/\//i.test(server);
    const probed = isNew
      ? await hubConnect.probe(hub, { ...serverOf(flags, server), ...(credential ? { credential } : {}) })
      : await hubConnect.probeConnection(hub, server);
    const tools = table(probed.tools, columns, streams.stdout, paintFor(streams.stdout, variables));
    streams.stdout.write(json ? `${JSON.stringify(probed, null, 2)}\n` : `${textOf(probed)}${tools}`);
    return codeOf(probed);
  },
});

function codeOf({ problem }: HubConnectionProbed): ExitCode {
  return problem === null ? exitCode.done : exitCode.checkFailed;
}

function textOf(probed: HubConnectionProbed): string {
  const { server, protocol_version: version, problem, warning } = probed;
  const who = server ? `${server.name} ${server.version}` : 'the server';
  const lines = problem
    ? [`✕ ${problem.message} (${problem.code})`, `  ${problem.cure}`]
    : [
        `✓ ${who} answered in ${Math.round(probed.duration_ms)} ms${version === null ? '' : `, MCP ${version}`}`,
        countsOf(probed),
      ];
  if (warning !== null) lines.push(`! ${warning}`);
  return `${lines.map(printableLine).join('\n')}\n`;
}

function countsOf({
  tools,
  tools_count: count,
  resources_count: resources,
  prompts_count: prompts,
}: HubConnectionProbed) {
  const left = count > tools.length ? ` (the first ${tools.length} are below)` : '';
  return `  ${count} tools${left}, ${resources} resources, ${prompts} prompts`;
}
