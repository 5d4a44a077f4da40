/** Flags of `vp serve` for hubs: which servers they may call, and which commands they may run. */
import { resolve } from 'node:path';
import type { UpstreamSettings } from '../../assemble/control-plane/upstream-settings.ts';
import type { Environment } from '../../environment/environment.ts';
import { defaultMaxSessions, type HubSettings } from '../../hub/context.ts';
import { toCommandViews } from '../../hub/upstream/commands/command-views.ts';
import { readOperatorCommands } from '../../hub/upstream/commands/operator-commands.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';

export const hubFlags = {
  'allow-private-upstreams': {
    type: 'boolean',
    default: false,
    describe: 'let hubs call private addresses, and plain http',
    variable: 'VP_ALLOW_PRIVATE_UPSTREAMS',
  },
  'hub-commands': {
    type: 'string',
    placeholder: '<file.json>',
    describe: 'commands that hubs may run',
    variable: 'VP_HUB_COMMANDS',
  },
  'unsafe-stdio': {
    type: 'boolean',
    default: false,
    describe: 'run commands unisolated: they can read all keys',
  },
  'hub-sessions': {
    type: 'number',
    placeholder: '<count>',
    integerRange: [100, 50_000],
    default: defaultMaxSessions,
    describe: 'open sessions of all hubs',
  },
} as const;

type HubFlagValues = {
  readonly 'allow-private-upstreams': boolean;
  readonly 'hub-commands'?: string | undefined;
  readonly 'unsafe-stdio': boolean;
  readonly 'hub-sessions': number;
  readonly ca?: string | undefined;
};

/** Throws UPSTREAM_COMMANDS_UNREADABLE, EXECUTOR_CA_UNREADABLE. */
export function upstreamSettings(flags: HubFlagValues, { cwd }: Pick<Environment, 'cwd'>): UpstreamSettings {
  const named = flags['hub-commands'];
  const file = named === undefined ? undefined : resolve(cwd, named);
  return {
    allowPrivate: flags['allow-private-upstreams'],
    extraRoots: flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca)),
    commands: file === undefined ? new Map() : readOperatorCommands(file),
    commandsFile: file,
    unsafeStdio: flags['unsafe-stdio'],
    preparesConnections: true,
    maxSessions: flags['hub-sessions'],
  };
}

/** The part of the settings that connection records depend on. */
export function toHubSettings(settings: UpstreamSettings): Partial<HubSettings> {
  const { allowPrivate, commands, commandsFile, unsafeStdio } = settings;
  const stdioCommands = toCommandViews(commands, unsafeStdio);
  return { allowPrivateUpstreams: allowPrivate, stdioCommands, stdioCommandsFile: commandsFile };
}
