import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect, lineFlag } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** `vp hubs create`. */
export const hubsCreateCommand = command({
  name: 'hubs create',
  summary: 'make a hub that you own',
  positionals: [
    { name: 'slug', describe: '2 to 40 lowercase letters and digits, with single hyphens between', required: true },
  ],
  flags: {
    name: { type: 'string', placeholder: '<name>', describe: 'what people call it; the slug unless given' },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs create acme --name "Acme tools"', 'its address for browsers’ clients ends in /hub/acme/mcp']],
  notes: 'With --json: {"hub"}.',
  async run({ flags, words: [slug = ''], json, environment }) {
    const client = await connect(flags, environment);
    const hub = await client.hubs.create({ slug, ...(flags.name === undefined ? {} : { name: flags.name }) });
    const more = lineFlag(client);
    const text = `the hub ${hub.slug} is made, and you own it
next: \`vp hubs connect ${hub.slug} <name> <url>${more}\` connects a tool server
      \`vp tokens create ci --hub ${hub.slug}${more}\` makes a token for a client
`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ hub }, null, 2)}\n` : text);
    return exitCode.done;
  },
});
