import type { HubConnection } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const columns: Column<HubConnection>[] = [
  { title: 'NAME', of: ({ name }) => name },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'STATE', of: ({ state, enabled }) => (enabled ? state.replaceAll('_', ' ') : 'off') },
  { title: 'SERVER', of: ({ url, command: program }) => url ?? program ?? '', least: 10, spare: true },
  { title: 'CREDENTIAL', of: ({ credential }) => credential.kind, spare: true },
  { title: 'LAST ERROR', of: ({ last_error: error }) => error ?? '', least: 10, spare: true },
];

/** `vp hubs connections`. */
export const hubsConnectionsCommand = command({
  name: 'hubs connections',
  summary: 'list the tool servers of a hub and how they are',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp hubs connections acme', 'with the last real error of each']],
  notes: 'With --json: {"connections": […]}.',
  async run({ flags, words: [hub = ''], json, environment }) {
    const { streams, variables } = environment;
    const { hubs } = await connect(flags, environment);
    const connections = await hubs.connections(hub);
    const text = table(connections, columns, streams.stdout, paintFor(streams.stdout, variables));
    const none = `${hub} has no connections; \`vp hubs connect ${hub} <name> <url>\` makes one\n`;
    streams.stdout.write(json ? `${JSON.stringify({ connections }, null, 2)}\n` : text || none);
    return exitCode.done;
  },
});
