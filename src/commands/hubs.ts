import type { Hub } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const columns: Column<Hub>[] = [
  { title: 'HUB', of: ({ slug }) => slug },
  { title: 'YOU ARE', of: ({ role }) => role },
  { title: 'NAME', of: ({ name }) => name, least: 6, spare: true },
  { title: 'MEMBERS', of: ({ members }) => String(members), alignRight: true },
  { title: 'CONNECTIONS', of: ({ connections }) => String(connections), alignRight: true, spare: true },
];

/** `vp hubs`. */
export const hubsCommand = command({
  name: 'hubs',
  summary: 'list the hubs that you belong to',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp hubs', 'all of them']],
  notes: `A hub is one door to the tool servers of a team. \`vp hubs create|rename|remove|leave\`, \`vp hubs members|add|expel\` and
\`vp hubs connections|connect|probe|change|sign-in|disconnect\` do more; \`vp tokens\` makes what its clients show. With --json: {"hubs": […]}.`,
  async run({ flags, json, environment }) {
    const { streams, variables } = environment;
    const { hubs } = await connect(flags, environment);
    const all = await hubs.list();
    const text = table(all, columns, streams.stdout, paintFor(streams.stdout, variables));
    const none = 'you belong to no hub; `vp hubs create <slug>` makes one\n';
    streams.stdout.write(json ? `${JSON.stringify({ hubs: all }, null, 2)}\n` : text || none);
    return exitCode.done;
  },
});
