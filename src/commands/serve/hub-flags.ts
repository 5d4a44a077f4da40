/** Flags of `vp serve` about the servers that hubs call: whom they may call, and what they may run. */
import { resolve } from 'node:path';
import type { UpstreamSettings } from '../../assemble/hub-gateway.ts';
import type { Environment } from '../../environment/environment.ts';
import type { HubSettings } from '../../hub/hubs-context.ts';
import { readOperatorCommands } from '../../hub/upstream/operator-commands.ts';
import { shownCommands } from '../../hub/upstream/shown-commands.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';

/** The flags. */
export const hubFlags = {
  'allow-private-upstreams': {
    type: 'boolean',
    default: false,
    describe: 'hubs may call servers of this machine and its networks, and plain http',
    variable: 'VP_ALLOW_PRIVATE_UPSTREAMS',
  },
  'hub-commands': {
    type: 'string',
    placeholder: '<file.json>',
    describe: 'programs that connections of hubs may run, in containers without mounts',
    variable: 'VP_HUB_COMMANDS',
  },
  'unsafe-stdio': {
    type: 'boolean',
    default: false,
    describe:
      'with --hub-commands: run programs without an image as this user, who can read the keys of this control plane',
  },
} as const;

type Given = {
  readonly 'allow-private-upstreams': boolean;
  readonly 'hub-commands'?: string | undefined;
  readonly 'unsafe-stdio': boolean;
  readonly ca?: string | undefined;
};

/** What they say. Throws UPSTREAM_COMMANDS_UNREADABLE, EXECUTOR_CA_UNREADABLE. */
export function upstreamSettings(flags: Given, { cwd }: Pick<Environment, 'cwd'>): UpstreamSettings {
  const named = flags['hub-commands'];
  const file = named === undefined ? undefined : resolve(cwd, named);
  return {
    allowPrivate: flags['allow-private-upstreams'],
    extraRoots: flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca)),
    commands: file === undefined ? new Map() : readOperatorCommands(file),
    commandsFile: file,
    unsafeStdio: flags['unsafe-stdio'],
  };
}

/** The same for the records of connections. */
export function hubSettingsOf(settings: UpstreamSettings): Partial<HubSettings> {
  const { allowPrivate, commands, commandsFile, unsafeStdio } = settings;
  const stdioCommands = shownCommands(commands, unsafeStdio);
  return { allowPrivateUpstreams: allowPrivate, stdioCommands, stdioFile: commandsFile };
}
