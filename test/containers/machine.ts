/** A machine as a person has it: a home, an application in containers, the folders of two agents, a control plane. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The image under test. */
export const image = process.env.VP_IMAGE ?? 'vp:v0.4.0-slim';
/** What the application and its database are opened with. */
export const secrets = { api: 'onboardApiToken1234', owner: 'onboardOwner1234', reader: 'onboardReader1234' };

/** How a program ended; `code` is -1 where it was ended. */
export type Called = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** `name` is the target's project, and the start of every instance id. */
export type MachineOptions = {
  readonly name: string;
  /** Of the application, on 127.0.0.1. */
  readonly appPort: number;
  readonly variables?: Readonly<Record<string, string>>;
  /** Files below the home that are none of an onboarding's. */
  readonly passOver?: RegExp;
};

/** Calls of this machine. */
export type Machine = ReturnType<typeof machine>;

/** Makes the home; `clear` and `removeHome` end it. */
export function machine({ name, appPort, variables: more = {}, passOver = /^$/ }: MachineOptions) {
  const home = mkdtempSync(join(tmpdir(), `${name}-`));
  const at = (path: string): string => join(home, path);
  const variables: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: home, NO_COLOR: '1', ...more };

  function call(file: string, words: readonly string[], env: Record<string, string> = {}): Promise<Called> {
    const options = { env: { ...variables, ...env }, cwd: home, timeout: 240_000, maxBuffer: 64_000_000 };
    return new Promise((ended) => {
      execFile(file, words, options, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        ended({ code, stdout, stderr });
      });
    });
  }

  const docker = async (...words: string[]): Promise<string> => (await call('docker', words)).stdout;

  /** What the engine has of this test and of the shared stacks; other programs come and go meanwhile. */
  async function standing(): Promise<string[]> {
    const containers = await docker('ps', '--all', '--format', 'container {{.Names}}');
    const volumes = await docker('volume', 'ls', '--format', 'volume {{.Name}}');
    const networks = await docker('network', 'ls', '--format', 'network {{.Name}}');
    const own = new RegExp(` (platform-(router|obs|inst-${name})|${name})`);
    return [containers, volumes, networks]
      .flatMap((text) => text.split('\n'))
      .filter((line) => own.test(line))
      .sort();
  }

  /** Every file and folder below the home. */
  function files(): string[] {
    const all = readdirSync(home, { recursive: true, withFileTypes: true }).map((entry) =>
      join(entry.parentPath, entry.name).slice(home.length + 1),
    );
    return all.filter((file) => !passOver.test(file)).sort();
  }

  async function removeProject(project: string): Promise<void> {
    const down = ['down', '--volumes', '--remove-orphans', '--timeout', '1'];
    await call('docker', ['compose', '--project-name', project, ...down]);
    const left = await docker('volume', 'ls', '--quiet', '--filter', `label=com.docker.compose.project=${project}`);
    for (const volume of left.split('\n').filter(Boolean)) await docker('volume', 'rm', '--force', volume);
  }

  /** Removes what this test, or one that was killed, has started. */
  async function clear(): Promise<void> {
    const projects = await docker('ps', '--all', '--format', '{{.Label "com.docker.compose.project"}}');
    const own = projects.split('\n').filter((project) => project.startsWith(`platform-inst-${name}`));
    for (const project of [...new Set(own), 'platform-router', 'platform-obs', name]) await removeProject(project);
  }

  const compose = (...words: string[]): Promise<Called> =>
    call('docker', ['compose', '--project-name', name, '--project-directory', at('target'), ...words]);

  /** The example application on PostgreSQL. */
  async function startTarget(): Promise<void> {
    const text = readFileSync('compose/example/compose.yaml', 'utf8')
      .replace(/^name: .*$/m, `name: ${name}`)
      .replace('name: document-signing-rows', `name: ${name}-rows`)
      .replace('name: document-signing', `name: ${name}`)
      .replace('127.0.0.1:3200:3100', `127.0.0.1:${appPort}:3100`);
    mkdirSync(at('target'));
    cpSync('compose/example/database', at('target/database'), { recursive: true });
    writeFileSync(at('target/compose.yaml'), text);
    const own = `API_TOKEN=${secrets.api}\nPOSTGRES_PASSWORD=${secrets.owner}\nREADER_PASSWORD=${secrets.reader}\n`;
    writeFileSync(at('target/.env'), `VP_IMAGE=${image}\n${own}`);
    const up = await compose('up', '--detach', '--wait');
    if (up.code !== 0) throw new Error(up.stderr);
  }

  /** Folders `test` and `product`, with `end` behind their names. */
  function writeFolders(end = ''): void {
    cpSync('compose/example/test', at(`test${end}`), { recursive: true });
    mkdirSync(at(`product${end}`));
    const config = readFileSync('compose/example/product/platform-config.yaml', 'utf8')
      .replace('compose_project: document-signing', `compose_project: ${name}`)
      .replace('network: document-signing', `network: ${name}`);
    writeFileSync(at(`product${end}/platform-config.yaml`), config);
    writeFileSync(at(`product${end}/.env`), `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=${secrets.reader}\n`);
  }

  /** `vp serve`; gives what ends it. */
  async function startControlPlane(program: string, port: number): Promise<() => Promise<void>> {
    const child = spawn(program, ['serve', '--port', String(port), '--log-level', 'error'], {
      env: variables,
      cwd: home,
      stdio: 'ignore',
    });
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    for (let tries = 0; tries < 150 && !(await answers()); tries += 1)
      await new Promise((later) => setTimeout(later, 100));
    return async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    };
  }

  const removeHome = (): void => rmSync(home, { recursive: true, force: true });
  /** Runs a line of the shell on a terminal of 120 by 50; `type` sends what is typed there. */
  function onTerminal(line: string, env: Readonly<Record<string, string>> = variables) {
    const words = ['-qefc', `stty cols 120 rows 50; exec ${line}`, '/dev/null'];
    const child = spawn('script', words, { env, cwd: home, stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: string[] = [];
    child.stdout.on('data', (chunk) => chunks.push(String(chunk)));
    const told = (): string => stripVTControlCharacters(chunks.join('')).replaceAll('\r', '');
    const ended = once(child, 'close').then(([code]) => ({ code: Number(code ?? -1), stdout: told() }));
    return { type: (text: string): unknown => child.stdin.write(text), told, ended };
  }

  return {
    ...{ onTerminal, home, at, variables, call, docker, compose, standing, files, clear, removeHome },
    ...{ startTarget, writeFolders, startControlPlane },
  };
}
