import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { tokenText } from './tokens/token-text.ts';

/** `vp tokens rotate`. */
export const tokensRotateCommand = command({
  name: 'tokens rotate',
  summary: 'make a new token in the place of one of yours',
  positionals: [{ name: 'token', describe: 'its id, as `vp tokens list` shows it', required: true }],
  flags: {
    grace: {
      type: 'number',
      placeholder: '<minutes>',
      describe: 'let the old one hold so long; 0 ends it at once',
      default: 0,
      whole: [0, 1440],
    },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp tokens rotate 3fa94c0be17d2266', 'the old one ends at once'],
    ['vp tokens rotate 3fa94c0be17d2266 --grace 60', 'clients have an hour to take the new one'],
  ],
  notes: 'It keeps its id, name and hub; its expiry counts from now. With --json: {"hub_token", "token"}.',
  async run({ flags, words: [id = ''], json, environment }) {
    const client = await connect(flags, environment);
    const shown = await client.hubs.rotateToken(id, { grace_seconds: flags.grace * 60 });
    const { previous_until: until } = shown.hub_token;
    const old = until === null ? 'the old one has ended' : `the old one holds until ${until}`;
    const text = `${tokenText(shown, client.transport.baseUrl)}${old}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : text);
    return exitCode.done;
  },
});
