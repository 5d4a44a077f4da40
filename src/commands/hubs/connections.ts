import { command } from '../../command-line/command.ts';
import type { HubConnection } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

const stateTexts: Partial<Record<HubConnection['state'], string>> = {
  untried: 'not tried yet',
  needs_sign_in: 'needs sign in',
};

const columns: TableColumn<HubConnection>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'STATE', text: ({ state, enabled }) => (enabled ? (stateTexts[state] ?? state) : 'off') },
  { title: 'SERVER', text: ({ url, command: program }) => url ?? program ?? '', minWidth: 10, optional: true },
  { title: 'CREDENTIAL', text: ({ credential }) => credential.kind, optional: true },
  { title: 'LAST ERROR', text: ({ last_error: error }) => error ?? '', minWidth: 10, optional: true },
];

/** `vp hubs connections`. */
export const hubsConnectionsCommand = command({
  name: 'hubs connections',
  summary: 'list the tool servers of a hub with their state',
  positionals: [hubArgument],
  flags: controlPlaneFlags,
  examples: [['vp hubs connections acme', 'with the last error of each']],
  notes: 'With --json: {"connections": […]}.',
  async run({ flags, args: [hub = ''], json, environment, catalogue }) {
    const { streams, variables } = environment;
    const { hubs } = await openClient(flags, environment);
    const connections = await hubs.listConnections(hub);
    const text = formatTable(connections, columns, streams.stdout, paintFor(streams.stdout, variables));
    const emptyText = `${hub} has no connections; create one with \`vp hubs connect ${hub} <name> <url>\`\n`;
    streams.stdout.write(
      json
        ? `${JSON.stringify({ connections }, null, 2)}\n`
        : text || (await completeCommands(emptyText, { environment, catalogue })),
    );
    return exitCode.done;
  },
});
