import { tokenExpiries } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { chosenHub } from './tokens/chosen-hub.ts';
import { tokenText } from './tokens/token-text.ts';

const name = 'tokens create';

/** `vp tokens create`. */
export const tokensCreateCommand = command({
  name,
  summary: 'make a personal access token for one hub',
  positionals: [{ name: 'name', describe: 'what you will know it by', required: true }],
  flags: {
    hub: { type: 'string', placeholder: '<slug>', describe: 'the hub; may be left out where you belong to one only' },
    expiry: {
      type: 'string',
      placeholder: '<choice>',
      choices: tokenExpiries,
      default: '90 days',
      describe: 'how long it holds',
    },
    ...controlPlaneFlags,
  },
  examples: [['vp tokens create ci --hub acme --expiry "30 days"', 'for a client without a browser']],
  notes: 'For the hub and you alone. Needs `vp login`: an API key makes none. With --json: {"hub_token", "token"}.',
  async run({ flags, words: [label = ''], json, environment }) {
    const expiry = tokenExpiries.find((one) => one === flags.expiry);
    if (expiry === undefined)
      throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '--expiry <choice>' });
    const client = await connect(flags, environment);
    const made = await client.hubs.createToken(await chosenHub(client, flags.hub), { name: label, expiry });
    const text = tokenText(made, client.transport.baseUrl);
    environment.streams.stdout.write(json ? `${JSON.stringify(made, null, 2)}\n` : text);
    return exitCode.done;
  },
});
