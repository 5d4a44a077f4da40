/**
 * A machine as vp 0.4.0 has left it: recorded after its `vp onboard` and a run. The files of the user, the stores, and what was in the volumes
 * are put back; the containers are started from the compose files of 0.4.0, with the image under test.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { debian } from './instance-runs.ts';
import { type CommandOutcome, image, type TestMachine } from './test-machine.ts';

type RecordedFiles = Readonly<Record<string, { readonly text?: string; readonly base64?: string }>>;
type RecordedMachine = {
  readonly home: RecordedFiles;
  /** Files by volume. Their keys were valid at a control plane that no longer exists. */
  readonly volumes: Readonly<Record<string, RecordedFiles>>;
};

const recorded: RecordedMachine = JSON.parse(
  gunzipSync(readFileSync('test/containers/upgrade-from-0.4.0/machine.json.gz')).toString('utf8'),
);

/** The instance and the target of the record, and the port of its control plane. */
export const recordedName = 'vp-test-upgrade';
export const recordedPort = 23_797;

/** The user of the image. */
const imageUser = '10001';

function writeFiles(folder: string, files: RecordedFiles, values: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  const fill = (text: string): string => text.replaceAll(/@[A-Za-z]+@/g, (name) => values[name] ?? name);
  for (const [path, { text, base64 = '' }] of Object.entries(files)) {
    const file = join(folder, fill(path));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text === undefined ? Buffer.from(base64, 'base64') : fill(text), { mode: 0o600 });
  }
}

/** A volume that compose takes for one of its project, with files of the image's user. */
async function writeVolume({ docker }: TestMachine, name: string, folder: string): Promise<void> {
  const [, project = '', volume = ''] = /^(.*)_([^_]+)$/.exec(name) ?? [];
  const labels = [`com.docker.compose.project=${project}`, `com.docker.compose.volume=${volume}`];
  await docker('volume', 'create', ...labels.flatMap((label) => ['--label', label]), name);
  const archive = execFileSync('tar', ['-c', `--owner=${imageUser}`, `--group=${imageUser}`, '-C', folder, '.']);
  const args = ['run', '--rm', '--interactive', '--network', 'none', '--volume', `${name}:/volume`, debian];
  execFileSync('docker', [...args, 'tar', '-x', '-C', '/volume'], { input: archive });
}

/** The target runs, and the folders of the agents are there. */
export async function restoreRecordedMachine(machine: TestMachine): Promise<void> {
  const { home, pathTo } = machine;
  const values = {
    '@HOME@': home,
    '@IMAGE@': image,
    '@GROUP@': String(statSync('/var/run/docker.sock').gid),
    // Records of folders are named by the hash of their path.
    '@test@': hash('sha256', pathTo('test')),
    '@product@': hash('sha256', pathTo('product')),
  };
  writeFiles(home, recorded.home, values);
  for (const [name, files] of Object.entries(recorded.volumes)) {
    writeFiles(pathTo(`volumes/${name}`), files, values);
    await writeVolume(machine, name, pathTo(`volumes/${name}`));
  }
}

/** The control plane must run: its socket is mounted. */
export async function startRecordedContainers({ call, pathTo }: TestMachine): Promise<void> {
  const start = (project: string, folder: string): Promise<CommandOutcome> =>
    call('docker', [
      'compose',
      '--project-name',
      project,
      '--project-directory',
      pathTo(folder),
      'up',
      '--detach',
      '--wait',
    ]);
  const data = '.local/share/vp';
  for (const [project, folder] of [
    ['platform-obs', `${data}/shared/obs`],
    ['platform-router', `${data}/shared/router`],
    [`platform-inst-${recordedName}`, `${data}/kits/${recordedName}/compose`],
  ] as const) {
    const { code, stderr } = await start(project, folder);
    if (code !== 0) throw new Error(stderr);
  }
}
