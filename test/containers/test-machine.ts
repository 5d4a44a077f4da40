/** A machine like a user's: a home, an application in containers, the folders of two agents, a control plane. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from '../eventually.ts';

/** The image under test. */
export const image = process.env.VP_IMAGE ?? 'vp:v0.4.0-slim';
/** Secrets of the application and its database. */
export const secrets = { api: 'onboardApiToken1234', owner: 'onboardOwner1234', reader: 'onboardReader1234' };

/** How a command ended; `code` is -1 if it was killed. */
export type CommandOutcome = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** `name` is the target's project and the prefix of every instance id. */
export type MachineOptions = {
  readonly name: string;
  /** Of the application, on 127.0.0.1. */
  readonly appPort: number;
  readonly variables?: Readonly<Record<string, string>>;
  /** Files below the home that do not belong to an onboarding. */
  readonly ignoredFiles?: RegExp;
  /** Its command; `docker` unless given. */
  readonly engine?: 'docker' | 'podman';
  /** The words before every command, which bring it into another machine. */
  readonly enter?: () => readonly string[];
};

export type TestMachine = ReturnType<typeof createTestMachine>;

/** Creates the home; `clear` and `removeHome` remove everything. */
export function createTestMachine({
  name,
  appPort,
  variables: extraVariables = {},
  ignoredFiles = /^$/,
  engine = 'docker',
  enter = () => [],
}: MachineOptions) {
  const home = mkdtempSync(join(tmpdir(), `${name}-`));
  const pathTo = (path: string): string => join(home, path);
  const variables: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    NO_COLOR: '1',
    ...extraVariables,
  };

  function call(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<CommandOutcome> {
    const options = { env: { ...variables, ...env }, cwd: home, timeout: 240_000, maxBuffer: 64_000_000 };
    return new Promise((finished) => {
      const [program = file, ...words] = [...enter(), file, ...args];
      execFile(program, words, options, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        finished({ code, stdout, stderr });
      });
    });
  }

  const docker = async (...args: string[]): Promise<string> => (await call(engine, args)).stdout;

  /** Resources of this test and of the shared stacks at the engine, where others may come and go meanwhile. */
  async function listEngineResources(): Promise<string[]> {
    const containers = await docker('ps', '--all', '--format', 'container {{.Names}}');
    const volumes = await docker('volume', 'ls', '--format', 'volume {{.Name}}');
    const networks = await docker('network', 'ls', '--format', 'network {{.Name}}');
    const ownPattern = new RegExp(` (platform-(router|obs|inst-${name})|${name})`);
    return [containers, volumes, networks]
      .flatMap((text) => text.split('\n'))
      .filter((line) => ownPattern.test(line))
      .sort();
  }

  /** Every file and folder below the home. */
  function files(): string[] {
    const all = readdirSync(home, { recursive: true, withFileTypes: true }).map((entry) =>
      join(entry.parentPath, entry.name).slice(home.length + 1),
    );
    return all.filter((file) => !ignoredFiles.test(file)).sort();
  }

  async function removeProject(project: string): Promise<void> {
    const down = ['down', '--volumes', '--remove-orphans', '--timeout', '1'];
    await call(engine, ['compose', '--project-name', project, ...down]);
    const remainingVolumes = await docker(
      'volume',
      'ls',
      '--quiet',
      '--filter',
      `label=com.docker.compose.project=${project}`,
    );
    for (const volume of remainingVolumes.split('\n').filter(Boolean)) await docker('volume', 'rm', '--force', volume);
  }

  /** Removes what this test, or a killed one, has started. */
  async function clear(): Promise<void> {
    const format = ['--format', '{{.Label "com.docker.compose.project"}}'];
    // A test that was killed may have left volumes alone.
    const projects = `${await docker('ps', '--all', ...format)}\n${await docker('volume', 'ls', ...format)}`;
    const ownProjects = projects.split('\n').filter((project) => project.startsWith(`platform-inst-${name}`));
    for (const project of [...new Set(ownProjects), 'platform-router', 'platform-obs', name])
      await removeProject(project);
  }

  const compose = (...args: string[]): Promise<CommandOutcome> =>
    call(engine, ['compose', '--project-name', name, '--project-directory', pathTo('target'), ...args]);

  /** The example application on PostgreSQL. */
  async function startTarget(): Promise<void> {
    const text = readFileSync('compose/example/compose.yaml', 'utf8')
      .replace(/^name: .*$/m, `name: ${name}`)
      .replace('name: document-signing-rows', `name: ${name}-rows`)
      .replace('name: document-signing', `name: ${name}`)
      .replace('127.0.0.1:3200:3100', `127.0.0.1:${appPort}:3100`);
    mkdirSync(pathTo('target'));
    cpSync('compose/example/database', pathTo('target/database'), { recursive: true });
    writeFileSync(pathTo('target/compose.yaml'), text);
    const envText = `API_TOKEN=${secrets.api}\nPOSTGRES_PASSWORD=${secrets.owner}\nREADER_PASSWORD=${secrets.reader}\n`;
    writeFileSync(pathTo('target/.env'), `VP_IMAGE=${image}\n${envText}`);
    const up = await compose('up', '--detach', '--wait');
    if (up.code !== 0) throw new Error(up.stderr);
  }

  /** Folders `test` and `product`, with that suffix. */
  function writeFolders(suffix = ''): void {
    cpSync('compose/example/test', pathTo(`test${suffix}`), { recursive: true });
    mkdirSync(pathTo(`product${suffix}`));
    const config = readFileSync('compose/example/product/platform-config.yaml', 'utf8')
      .replace('compose_project: document-signing', `compose_project: ${name}`)
      .replace('network: document-signing', `network: ${name}`);
    writeFileSync(pathTo(`product${suffix}/platform-config.yaml`), config);
    writeFileSync(pathTo(`product${suffix}/.env`), `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=${secrets.reader}\n`);
  }

  /** Starts `vp serve`; returns how to stop it. */
  async function startControlPlane(program: string, port: number): Promise<() => Promise<void>> {
    const serve = ['serve', '--port', String(port), '--log-level', 'error'];
    const [first = program, ...words] = [...enter(), program, ...serve];
    const child = spawn(first, words, {
      env: variables,
      cwd: home,
      stdio: 'ignore',
    });
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(answers, { description: `the control plane responds on port ${port}` });
    return async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    };
  }

  const removeHome = (): void => rmSync(home, { recursive: true, force: true });
  /** Runs a shell command on a terminal of 120 by 50; `type` sends input. */
  function onTerminal(line: string, env: Readonly<Record<string, string>> = variables) {
    const args = ['-qefc', `stty cols 120 rows 50; exec ${line}`, '/dev/null'];
    const child = spawn('script', args, { env, cwd: home, stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: string[] = [];
    child.stdout.on('data', (chunk) => chunks.push(String(chunk)));
    const readOutput = (): string => stripVTControlCharacters(chunks.join('')).replaceAll('\r', '');
    const ended = once(child, 'close').then(([code]) => ({ code: Number(code ?? -1), stdout: readOutput() }));
    // What is typed at the moment at which the program ends is lost, as on a terminal.
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
    return { type: (text: string): unknown => child.stdin.write(text), readOutput: readOutput, ended };
  }

  return {
    ...{
      onTerminal,
      home,
      pathTo,
      variables,
      call,
      docker,
      compose,
      standing: listEngineResources,
      files,
      clear,
      removeHome,
    },
    ...{ startTarget, writeFolders, startControlPlane },
  };
}
