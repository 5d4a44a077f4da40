import { command } from '../../command-line/command.ts';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

const columns: TableColumn<Hub>[] = [
  { title: 'HUB', text: ({ slug }) => slug },
  { title: 'ROLE', text: ({ role }) => role },
  { title: 'NAME', text: ({ name }) => name, minWidth: 6, optional: true },
  { title: 'MEMBERS', text: ({ members }) => String(members), alignRight: true },
  { title: 'CONNECTIONS', text: ({ connections }) => String(connections), alignRight: true, optional: true },
];

/** `vp hubs`. */
export const hubsCommand = command({
  name: 'hubs',
  summary: 'list the hubs that you belong to',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp hubs', 'with your role in each']],
  notes:
    'A hub is one MCP endpoint for the tool servers of a team. Create one with `vp hubs create`, connect servers with ' +
    '`vp hubs connect`, and give clients tokens with `vp tokens create`. `vp docs how-to/hub` is a guide. With --json: {"hubs": […]}.',
  async run({ flags, json, environment, catalogue }) {
    const { streams, variables } = environment;
    const { hubs } = await openClient(flags, environment);
    const all = await hubs.list();
    const text = formatTable(all, columns, streams.stdout, paintFor(streams.stdout, variables));
    const emptyText = 'you are not a member of a hub; create one with `vp hubs create <slug>`\n';
    streams.stdout.write(
      json
        ? `${JSON.stringify({ hubs: all }, null, 2)}\n`
        : text || (await completeCommands(emptyText, { environment, catalogue })),
    );
    return exitCode.done;
  },
});
