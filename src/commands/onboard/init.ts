/** `vp init`: writes the kit for onboarding and tearing down an instance. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { command, type Invocation } from '../../command-line/command.ts';
import { findRunningBinary, type RunningBinary } from '../../environment/running-binary.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type KitWriteResult, writeKit } from '../../onboarding/kit/write-kit.ts';

const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win-x64', 'none'];

const flags = {
  out: {
    type: 'string',
    placeholder: '<folder>',
    describe:
      'folder for the kit: a new or empty folder, or an existing kit, which is updated to this version; required, except in a container, where it is /out',
  },
  platform: {
    type: 'string',
    placeholder: '<system>',
    choices: platforms,
    describe:
      'platform of the machine that will use the kit; the kit includes this binary if it fits; none: do not include it',
  },
} as const;

type Call = Invocation<typeof flags>;

/** The binary to include in the kit: this one, if it is packed and for that platform. */
function programFor(platform: string | undefined): RunningBinary | undefined {
  const packed = findRunningBinary();
  return packed && (platform === undefined || platform === packed.platform) ? packed : undefined;
}

/** Files that container engines create in every container. */
const containerMarkers = ['/.dockerenv', '/run/.containerenv'];

const isInContainer = (): boolean => containerMarkers.some((marker) => existsSync(marker));

/** Throws KIT_FOLDER_INSIDE for a folder of the container's own file system, which would be lost. */
function assertMounted(folder: string): void {
  if (!isInContainer() || dirname(folder) !== '/') return;
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats || stats.dev === statSync('/').dev) throw vpError('KIT_FOLDER_INSIDE', { folder });
}

function formatKit(
  { folder, version, versionBefore, platform, changes }: KitWriteResult,
  requestedPlatform: string | undefined,
): string {
  const versionNote = versionBefore === undefined || versionBefore === version ? '' : `, was ${versionBefore}`;
  const lines = changes.map(({ name, change }) => `  ${change.padEnd(7)}  ${name}`);
  const programNote =
    platform === undefined && requestedPlatform !== 'none'
      ? ['the kit has no vp binary: put one for that machine on its PATH, or at bin/vp of the kit']
      : [];
  const next = 'next: run `bash onboarding/onboard.sh --help` in that folder';
  return `${[`kit ${version} in ${folder}${versionNote}`, ...lines, ...programNote, next].join('\n')}\n`;
}

async function run({ flags, json, environment }: Call): Promise<ExitCode> {
  const { streams, cwd, random } = environment;
  if (flags.out === undefined && !isInContainer())
    throw vpError('FLAG_INVALID', {
      command: 'vp init',
      flag: '--out',
      problem: 'is missing: name a folder for the kit',
    });
  const folder = resolve(cwd, flags.out ?? '/out');
  assertMounted(folder);
  const kit = await writeKit({ folder, program: programFor(flags.platform), random });
  const { versionBefore = null, platform = null, ...rest } = kit;
  const document = { ...rest, version_before: versionBefore, platform };
  streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : formatKit(kit, flags.platform));
  return exitCode.done;
}

export const initCommand = command({
  name: 'init',
  summary: 'write the kit for onboarding and tearing down an instance',
  positionals: [],
  flags,
  examples: [['vp init --out kit', 'the scripts, the compose files to review, and this binary']],
  notes:
    'From the image: `mkdir kit && docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD/kit:/out" <image> init`. ' +
    'A kit is for one instance. Your own files in a kit are not changed; a non-empty folder that is not a kit is refused.',
  run,
});
