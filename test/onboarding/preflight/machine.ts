/** A machine that a test makes up: its engine answers from a table, its ports have the holders that are given. */
import type { Container } from '../../../src/containers/containers.ts';
import type { Engine } from '../../../src/containers/engine.ts';
import type { PortHolder } from '../../../src/containers/port-holders.ts';
import type { PreflightContext } from '../../../src/onboarding/preflight/context.ts';

/** A container, running and without ports unless said otherwise. */
export function container(more: Partial<Container> & { readonly name: string }): Container {
  const usual = { id: more.name, image: 'debian:bookworm-slim', state: 'running', status: 'Up 2 minutes' };
  return { ...usual, project: '', service: '', networks: [], ports: '', ...more };
}

/** A process of another user that listens on `port`. */
export function process(port: number, name = 'nginx'): PortHolder {
  const listener = { address: '127.0.0.1', port, holder: { pid: 412, name }, user: 'ada' };
  return { port, container: undefined, listener };
}

/** A container that has published `port`. */
export function publisher(port: number, more: Parameters<typeof container>[0]): PortHolder {
  return { port, container: container(more), listener: undefined };
}

/** What the engine is asked, as one line, and what it answers. */
export type Answers = Readonly<Record<string, string>>;

/** An engine: `docker ps` lists `listed` by its filters, everything else stands in `answers` by how it begins. */
export function engineWith(listed: readonly Container[], answers: Answers = {}, asked: string[] = []): Engine {
  const answerTo = (words: readonly string[]): string => {
    const line = words.join(' ');
    asked.push(line);
    if (words[0] === 'ps')
      return listed
        .filter((one) => isListed(one, words))
        .map(lineOf)
        .join('\n');
    const known = Object.entries(answers).find(([begin]) => line.startsWith(begin));
    return known?.[1] ?? '';
  };
  const versions = { program: 'docker', version: '26.1.5', composeVersion: '2.26.1' } as const;
  const facts = { ...versions, socketFile: '/var/run/docker.sock', selinux: false };
  return {
    facts,
    attempt: async (words) => ({ kind: 'exited', exitCode: 0, stdout: answerTo(words), stderr: '', durationMs: 1 }),
    output: async (words) => answerTo(words),
  };
}

function isListed({ project, name }: Container, words: readonly string[]): boolean {
  const filters = words.filter((_, index) => words[index - 1] === '--filter');
  return filters.every((filter) => {
    if (filter.startsWith('label=')) return filter === `label=com.docker.compose.project=${project}`;
    return !filter.startsWith('name=') || new RegExp(filter.slice('name='.length)).test(name);
  });
}

function lineOf({ id, name, image, state, status, project, service, networks, ports }: Container): string {
  return [id, name, image, state, status, project, service, networks.join(','), ports].join('\t');
}

/** A machine on which all is well; `more` says what is not. */
export function machine(more: Partial<PreflightContext> = {}, holders: readonly PortHolder[] = []): PreflightContext {
  const byPort = new Map(holders.map((holder) => [holder.port, holder]));
  return {
    place: { platform: 'linux', variables: { PATH: '/usr/bin:/bin' } },
    dataFolder: '/home/ada/.local/share/vp',
    engine: async () => engineWith([], { info: '/var/lib/docker\n' }),
    holderOf: async (port) => byPort.get(port),
    freeBytes: async () => 20 * 1024 ** 3,
    availableMemory: async () => 4 * 1024 ** 3,
    ...more,
  };
}
