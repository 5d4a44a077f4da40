/**
 * A machine with rootless podman of Debian 13: a root file system of its own in a private mount and process namespace, so that
 * nothing of it is left when its first process ends. The network is that of the real machine. Needs root and mmdebstrap.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually.ts';

const run = promisify(execFile);

/** Without an account outside of the machine. */
const userId = 23_791;
const packages = [
  ...['podman', 'crun', 'netavark', 'aardvark-dns', 'nftables', 'iptables', 'uidmap', 'passt', 'catatonit'],
  ...['docker-compose', 'ca-certificates'],
];
const suite = 'trixie';
/** Another list of packages needs another file system. */
const rootFolder = resolve('.cache/podman-machine', `${suite}-1`);
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Where this machine gets Debian from. */
async function findArchive(): Promise<string> {
  const { stdout } = await run('apt-get', ['update', '--print-uris']);
  const [, address] = /^'(\S+)\/dists\/[a-z]+\/InRelease'/m.exec(stdout) ?? [];
  if (address === undefined) throw new Error('no archive of Debian is configured');
  return address;
}

/** Made once for a checkout. */
async function prepareRootFolder(): Promise<string> {
  if (existsSync(rootFolder)) return rootFolder;
  const part = `${rootFolder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(resolve(rootFolder, '..'), { recursive: true });
  const source = `deb [signed-by=${keyring}] ${await findArchive()} ${suite} main`;
  const options = ['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', `--include=${packages.join(',')}`];
  await run('mmdebstrap', [...options, `--keyring=${keyring}`, suite, part, source], { maxBuffer: 64 * 1024 * 1024 });
  const add = (file: string, line: string): void => appendFileSync(join(part, 'etc', file), `${line}\n`);
  add('passwd', `tester:x:${userId}:${userId}::/tmp:/bin/sh`);
  add('group', `tester:x:${userId}:`);
  for (const file of ['subuid', 'subgid']) writeFileSync(join(part, 'etc', file), 'tester:200000:65536\n');
  writeFileSync(join(part, 'etc/hosts'), '127.0.0.1 localhost\n');
  writeFileSync(join(part, 'etc/resolv.conf'), '');
  renameSync(part, rootFolder);
  return rootFolder;
}

export type PodmanMachine = {
  /** The words before a command that its user runs in the machine. */
  readonly enter: readonly string[];
  /** Runs a command in it as root. */
  runAsRoot(...words: readonly string[]): Promise<void>;
  /** Ends everything that runs in it. */
  stop(): Promise<void>;
};

/** What commands of the user need besides HOME. */
export const podmanVariables = { PATH: '/usr/sbin:/usr/bin', XDG_RUNTIME_DIR: `/run/user/${userId}` };
export const podmanSocket = `${podmanVariables.XDG_RUNTIME_DIR}/podman/podman.sock`;

/** `home` has the same path inside, and belongs to its user from then on; `folder` is /mnt/dist there. */
export async function startPodmanMachine(home: string, folder: string): Promise<PodmanMachine> {
  const root = await prepareRootFolder();
  // It ends with this process, however that ends.
  const words = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh'];
  const script = [resolve('test/containers/podman-machine.sh'), root, home, folder, String(userId)];
  const child = spawn('setpriv', [...words, ...script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(output);
    return /^ready$/m.test(output);
  });
  const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  const enterAsRoot = ['nsenter', `--target=${first}`, '--mount', '--pid', '--root', '--wd'];
  const user = ['setpriv', `--reuid=${userId}`, `--regid=${userId}`, '--clear-groups'];
  return {
    enter: [...enterAsRoot, ...user, 'env', `--chdir=${home}`],
    runAsRoot: async (...command) => void (await run('nsenter', [...enterAsRoot.slice(1), ...command])),
    async stop() {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Copies images from the engine of the real machine; those of a registry get its name, as if they were pulled. */
export async function copyImages({ enter }: PodmanMachine, home: string, images: readonly string[]): Promise<void> {
  const env = { ...podmanVariables, HOME: home };
  const load = [...enter, 'podman', 'load', '--quiet'];
  await run('sh', ['-c', 'docker save "$0" | "$@"'.replace('"$0"', images.join(' ')), 'sh', ...load], {
    env: { ...env, PATH: `${process.env.PATH}` },
  });
  const [program = '', ...words] = enter;
  for (const image of images.filter((name) => !name.startsWith('vp:'))) {
    const name = image.includes('/') ? `docker.io/${image}` : `docker.io/library/${image}`;
    await run(program, [...words, 'podman', 'tag', `localhost/${image}`, name], { env });
  }
}
