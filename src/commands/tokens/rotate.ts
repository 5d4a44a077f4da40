import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import { formatHubToken } from './token-text.ts';

/** `vp tokens rotate`. */
export const tokensRotateCommand = command({
  name: 'tokens rotate',
  summary: 'replace one of your tokens',
  positionals: [{ name: 'token', describe: 'id of the token, see `vp tokens list`', required: true, kind: 'token' }],
  flags: {
    grace: {
      type: 'number',
      placeholder: '<minutes>',
      describe: 'keep the old token valid for this long; 0 revokes it at once',
      default: 0,
      integerRange: [0, 1440],
    },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp tokens rotate 3fa94c0be17d2266', 'the old token is revoked at once'],
    ['vp tokens rotate 3fa94c0be17d2266 --grace 60', 'clients have an hour to switch to the new token'],
  ],
  notes: 'The new token keeps the id, name and hub; its validity starts now. With --json: {"hub_token", "token"}.',
  async run({ flags, args: [id = ''], json, environment, catalogue }) {
    const client = await openClient(flags, environment);
    const rotated = await client.hubs.rotateToken(id, { grace_seconds: flags.grace * 60 });
    const { previous_until: until } = rotated.hub_token;
    const previousNote = until === null ? 'the old token is revoked' : `the old token is valid until ${until}`;
    const text = `${await completeCommands(formatHubToken(rotated, client.transport.baseUrl), { environment, catalogue })}${previousNote}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify(rotated, null, 2)}\n` : text);
    return exitCode.done;
  },
});
