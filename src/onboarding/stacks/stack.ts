/** What the compose projects of this product have in common. */
import { stringify } from 'yaml';

/** A compose project as it is to be written and started. Pure: nothing is read or made here. */
export type Stack = {
  /** The compose project. */
  readonly name: string;
  /** Text by name, for the project's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Volumes that belong to the project, by their names at the engine. */
  readonly volumes: readonly string[];
  /** Networks that must exist before it starts. */
  readonly networks: readonly string[];
  /** Host ports, all on 127.0.0.1. */
  readonly ports: readonly number[];
};

/** The network that router, Prometheus and executors share. */
export const sharedNetwork = 'platform-obs';
/** The user of the image, with the group of the same number. */
export const imageUser = 10_001;

/** Least privilege, for every container: not root, nothing to write to, no capabilities, bounded. */
export function confined(options: {
  readonly memory: string;
  readonly pids: number;
  readonly selinuxOff?: boolean;
}): object {
  const { memory, pids, selinuxOff = false } = options;
  return {
    user: `${imageUser}:${imageUser}`,
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true', ...(selinuxOff ? ['label=disable'] : [])],
    mem_limit: memory,
    pids_limit: pids,
    tmpfs: ['/tmp:size=16m,mode=1777'],
    restart: 'always',
    logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
  };
}

/** A health check that asks the role itself. `often`: the engine knows `start_interval` (docker from version 25). */
export function askedHealth(role: readonly string[], often: boolean): object {
  return {
    test: ['CMD', 'vp', ...role, '--health'],
    interval: '10s',
    timeout: '5s',
    retries: 3,
    start_period: '30s',
    ...(often ? { start_interval: '500ms' } : {}),
  };
}

/** True where the engine takes `start_interval`; others refuse a file that has it. */
export function knowsStartInterval({
  program,
  version,
}: {
  readonly program: string;
  readonly version: string;
}): boolean {
  return program === 'docker' && Number(version.split('.')[0]) >= 25;
}

/** A port of this machine's loopback address. */
export function published(port: number, target: number): object {
  return { host_ip: '127.0.0.1', published: String(port), target, protocol: 'tcp' };
}

/** The text of a compose file. Compose expands `$` in every value, so it is doubled. */
export function composeText(comment: string, document: object): string {
  const text = stringify(withoutExpansion(document), { lineWidth: 0, aliasDuplicateObjects: false });
  return `# ${comment}\n${text}`;
}

function withoutExpansion(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  if (Array.isArray(value)) return value.map(withoutExpansion);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutExpansion(inner)]));
}
