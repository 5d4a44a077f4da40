/** `vp disconnect`: takes from the folders of agents what `vp connect` has added, and ends their tokens. */
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { asVpError, VpError, vpError } from '../errors/vp-error.ts';
import { type Disconnected, disconnectFolder, planDisconnection } from '../onboarding/folders/disconnect.ts';
import { placeOf } from '../onboarding/folders/place.ts';
import { changesText } from './agents/changes-text.ts';
import { agentFolderFlags, agentFolders } from './agents/folder-flags.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const { 'test-dir': testDir, 'product-dir': productDir, instance } = agentFolderFlags;
const { ca, 'allow-insecure': allowInsecure } = controlPlaneFlags;

const flags = {
  instance: { ...instance, describe: 'the instance' },
  'test-dir': testDir,
  'product-dir': productDir,
  'dry-run': { type: 'boolean', default: false, describe: 'tell what would change, and change nothing' },
  ca,
  'allow-insecure': allowInsecure,
} as const;

type Way = { readonly ca: string | undefined; readonly 'allow-insecure': boolean };

/** Why the token of a folder could not be ended; undefined when it has ended, also by itself. */
async function endToken(
  { connection }: Disconnected,
  instance: string,
  way: Way,
  environment: Environment,
): Promise<string | undefined> {
  if (!connection) return 'its id is not known here';
  const { control_plane, agent_token_id: id } = connection;
  try {
    const client = await connect({ ...way, 'control-plane': control_plane }, environment);
    await client.agentTokens.end(instance, id);
    return undefined;
  } catch (error) {
    if (error instanceof VpError && error.row.status === 404) return undefined;
    const { message, cure } = asVpError(error);
    return `${message}; ${cure}`;
  }
}

/** The command. */
export const disconnectCommand = command({
  name: 'disconnect',
  summary: 'take the tools of an instance out of the folders of agents again',
  positionals: [],
  flags,
  examples: [
    ['vp disconnect --instance shop --test-dir tests --product-dir app', 'ends the tokens of the two folders too'],
  ],
  notes:
    'Takes out just what `vp connect` has added. Exit code 1 when the folders are done and a token could not be ended: end it ' +
    'with `vp agent-token`, or on the page Settings.',
  async run({ flags, json, environment }) {
    const { instance } = flags;
    if (instance === undefined)
      throw vpError('FLAG_INVALID', { command: 'vp disconnect', flag: '--instance', problem: 'is needed' });
    const place = placeOf(environment);
    const isDry = flags['dry-run'];
    const outcomes: (Disconnected & { readonly folder: string; readonly notEnded: string | undefined })[] = [];
    for (const { folder } of agentFolders(flags, environment, 'vp disconnect')) {
      const outcome = await (isDry ? planDisconnection : disconnectFolder)(folder, instance, place);
      const notEnded = isDry ? undefined : await endToken(outcome, instance, flags, environment);
      outcomes.push({ ...outcome, folder, notEnded });
    }
    const changes = outcomes.flatMap((outcome) => outcome.changes);
    const left = outcomes.flatMap(({ folder, notEnded }) =>
      notEnded === undefined ? [] : { folder, problem: notEnded },
    );
    const warnings = left.map(({ folder, problem }) => `! the token of ${folder} still holds: ${problem}`);
    const closing = isDry ? 'nothing was changed' : [...warnings, 'disconnected'].join('\n');
    const shown = { instance, dry_run: isDry, changes, tokens_not_ended: left };
    const text = changesText(`instance ${instance}`, changes, closing);
    environment.streams.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : text);
    return left.length === 0 ? exitCode.done : exitCode.checkFailed;
  },
});
