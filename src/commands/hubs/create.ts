import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { formatControlPlaneFlag, openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';

/** `vp hubs create`. */
export const hubsCreateCommand = command({
  name: 'hubs create',
  summary: 'create a hub that you own',
  positionals: [
    { name: 'slug', describe: '2 to 40 lowercase letters and digits, with single hyphens in between', required: true },
  ],
  flags: {
    name: { type: 'string', placeholder: '<name>', describe: 'display name (default: the slug)' },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs create acme --name "Acme tools"', 'its endpoint for OAuth clients is /hub/acme/mcp']],
  notes: 'With --json: {"hub"}.',
  async run({ flags, args: [slug = ''], json, environment }) {
    const client = await openClient(flags, environment);
    const hub = await client.hubs.create({ slug, ...(flags.name === undefined ? {} : { name: flags.name }) });
    const flagSuffix = formatControlPlaneFlag(client);
    const text = `hub ${hub.slug} is created, and you are its owner
next: \`vp hubs connect ${hub.slug} <name> <url>${flagSuffix}\` connects a tool server
      \`vp tokens create ci --hub ${hub.slug}${flagSuffix}\` creates a token for a client
`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ hub }, null, 2)}\n` : text);
    return exitCode.done;
  },
});
