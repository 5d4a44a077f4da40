/** `vp init`: writes the kit from which an instance is onboarded and torn down. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Program, packedProgram } from '../environment/program.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { type KitWritten, writeKit } from '../onboarding/kit/write-kit.ts';
import { command, type Invocation } from './command.ts';

const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win-x64', 'none'];

const flags = {
  out: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'where the kit is written: a new or empty folder, or a kit, which is brought to this version',
    default: '/out',
  },
  platform: {
    type: 'string',
    placeholder: '<system>',
    choices: platforms,
    describe: 'where the kit will be used; it gets the program that runs if that is one for it; none leaves it out',
  },
} as const;

type Call = Invocation<typeof flags>;

/** The program that goes into the kit: the one that runs, when it is one file and for that platform. */
function programFor(platform: string | undefined): Program | undefined {
  const own = packedProgram();
  return own && (platform === undefined || platform === own.platform) ? own : undefined;
}

/** What engines put into every container. */
const marks = ['/.dockerenv', '/run/.containerenv'];

/** Throws KIT_FOLDER_INSIDE for a folder that lies in the container itself. */
function demandMounted(folder: string): void {
  if (!marks.some((mark) => existsSync(mark)) || dirname(folder) !== '/') return;
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found || found.dev === statSync('/').dev) throw vpError('KIT_FOLDER_INSIDE', { folder });
}

function textOf({ folder, version, versionBefore, platform, changes }: KitWritten, wanted: string | undefined): string {
  const before = versionBefore === undefined || versionBefore === version ? '' : `, was ${versionBefore}`;
  const lines = changes.map(({ name, change }) => `  ${change.padEnd(7)}  ${name}`);
  const program =
    platform === undefined && wanted !== 'none'
      ? ['no program is in it: put `vp` for that machine on PATH there, or at bin/vp of the kit']
      : [];
  const next = 'next: bash onboarding/onboard.sh --help, in that folder';
  return `${[`kit ${version} in ${folder}${before}`, ...lines, ...program, next].join('\n')}\n`;
}

async function run({ flags, json, environment }: Call): Promise<ExitCode> {
  const { streams, cwd, random } = environment;
  const folder = resolve(cwd, flags.out);
  demandMounted(folder);
  const written = await writeKit({ folder, program: programFor(flags.platform), random });
  const { versionBefore = null, platform = null, ...rest } = written;
  const document = { ...rest, version_before: versionBefore, platform };
  streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : textOf(written, flags.platform));
  return exitCode.done;
}

/** The command. */
export const initCommand = command({
  name: 'init',
  summary: 'write the kit from which an instance is onboarded and torn down',
  positionals: [],
  flags,
  examples: [['vp init --out kit', 'the scripts, the compose files to be read before, and this program']],
  notes:
    'From the image: `mkdir kit && docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD/kit:/out" <image> init`. ' +
    'One kit serves one instance. Files of yours in a kit are left alone; a folder that is no kit is not written to.',
  run,
});
