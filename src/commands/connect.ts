/** `vp connect`: gives the folders of agents their tools. */
import { basename } from 'node:path';
import type { Client } from '../client/client.ts';
import type { AgentRole } from '../contract/agent-token.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { demandApart, folderAt } from '../onboarding/folders/apart.ts';
import { connectFolder, planConnection } from '../onboarding/folders/connect.ts';
import { connectionOf } from '../onboarding/folders/disconnect.ts';
import { type FolderChange, placeOf } from '../onboarding/folders/place.ts';
import { baseUrlOf } from '../router/whereabouts.ts';
import { changesText } from './agents/changes-text.ts';
import { exposures, tellExposures } from './agents/exposures.ts';
import { agentFolderFlags, agentFolders } from './agents/folder-flags.ts';
import { command, type Invocation } from './command.ts';
import { chosenInstance, connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const flags = {
  ...agentFolderFlags,
  router: {
    type: 'string',
    placeholder: '<url>',
    describe: 'where the agents’ programs reach the router',
    default: 'http://127.0.0.1:9765',
    variable: 'VP_ROUTER',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'tell what would change, and change nothing' },
  ...controlPlaneFlags,
} as const;

type Call = Invocation<typeof flags>;

/** What is connected to what, but for its token. */
type Asked = {
  readonly folder: string;
  readonly role: AgentRole;
  readonly instance: string;
  readonly routerUrl: string;
};

function routerUrl({ flags }: Call): string {
  const checked = baseUrlOf(flags.router);
  if ('url' in checked) return `${checked.url}/mcp`;
  throw vpError('FLAG_INVALID', { command: 'vp connect', flag: '--router', problem: checked.problem });
}

/** Everything that can be seen to fail is, before a token is made. */
async function plans(call: Call, instance: string) {
  const folders = agentFolders(call.flags, call.environment, 'vp connect');
  const [one, other] = folders;
  if (one && other) await demandApart(one.folder, other.folder);
  const asked = folders.map(({ folder, role }): Asked => ({ folder, role, instance, routerUrl: routerUrl(call) }));
  const place = placeOf(call.environment);
  const changes = await Promise.all(asked.map((one) => planConnection(one, place)));
  return { asked, changes: changes.flat() };
}

/** Makes the token and writes it; one that could not be written is ended again, and so is the one it takes the place of. */
async function connectOne(client: Client, asked: Asked, { environment }: Call): Promise<readonly FolderChange[]> {
  const place = placeOf(environment);
  const { instance, role } = asked;
  const known = await connectionOf(asked.folder, instance, place);
  const name = `${basename(await folderAt(asked.folder))} on ${environment.hostname}`.slice(0, 100);
  const { agent_token, token } = await client.agentTokens.make(instance, { role, name });
  const controlPlane = client.transport.baseUrl;
  try {
    const made = { ...asked, token, controlPlane, agentTokenId: agent_token.agent_token_id };
    const changes = await connectFolder(made, place);
    if (known?.control_plane === controlPlane) {
      await client.agentTokens.end(instance, known.agent_token_id).catch(() => undefined);
    }
    return changes;
  } catch (error) {
    await client.agentTokens.end(instance, agent_token.agent_token_id).catch(() => undefined);
    throw error;
  }
}

/** The command. */
export const connectCommand = command({
  name: 'connect',
  summary: 'give the folders of agents the tools of an instance',
  positionals: [],
  flags,
  examples: [
    ['vp connect --instance shop --test-dir tests --product-dir app', 'then start an agent in each of the two folders'],
    ['vp connect --test-dir tests --dry-run', 'the only instance there is; see what would change'],
  ],
  notes:
    'Adds to .mcp.json and .claude/settings.local.json, keeps both out of git, and writes a page for the agent. Whatever ' +
    'stood there stays as it is; `vp disconnect` takes out just what was added. The agents need `vp router` and `vp executor`.',
  async run(call) {
    const { flags, environment, json } = call;
    const client = await connect(flags, environment);
    const { instance_id: instance } = await chosenInstance(client, flags.instance);
    const { asked, changes } = await plans(call, instance);
    const done: FolderChange[] = flags['dry-run'] ? [...changes] : [];
    if (!flags['dry-run']) for (const one of asked) done.push(...(await connectOne(client, one, call)));
    const warnings = await exposures(
      asked.map(({ folder }) => folder),
      environment,
    );
    const shown = { instance, dry_run: flags['dry-run'], changes: done, warnings };
    const next = flags['dry-run']
      ? 'nothing was changed'
      : `next: \`vp router\` unless it runs, then start the agent in ${asked.map(({ folder }) => folder).join(' and ')}`;
    const text = changesText(`instance ${instance}`, done, next);
    environment.streams.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : text);
    if (!json) tellExposures(warnings, environment);
    return exitCode.done;
  },
});
