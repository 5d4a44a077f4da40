/** What all compose projects of the platform have in common. */
import { stringify } from 'yaml';
import { observabilityProjectName } from '../../../contract/platform-names.ts';

/** A compose project before it is written and started. */
export type ComposeStack = {
  /** The compose project. */
  readonly name: string;
  /** Text by name, for the project's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Volumes of the project, by their names at the engine. */
  readonly volumes: readonly string[];
  /** Networks that must exist before it starts. */
  readonly networks: readonly string[];
  /** Host ports, all on 127.0.0.1. */
  readonly ports: readonly number[];
};

/** The network that router, Prometheus and executors share. */
export const sharedNetwork = observabilityProjectName;
/** User and group id of the image. */
const imageUserId = 10_001;

/** Least privilege for every container: not root, read-only, no capabilities, limited resources. */
export function buildConfinement(options: {
  readonly memory: string;
  readonly pids: number;
  readonly selinuxOff?: boolean;
}): object {
  const { memory, pids, selinuxOff = false } = options;
  return {
    user: `${imageUserId}:${imageUserId}`,
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

/** A health check by the role itself. */
export function buildHealthCheck(role: readonly string[], supportsInterval: boolean): object {
  return {
    test: ['CMD', 'vp', ...role, '--health'],
    interval: '10s',
    timeout: '5s',
    retries: 3,
    start_period: '30s',
    ...(supportsInterval ? { start_interval: '500ms' } : {}),
  };
}

/** True if the engine accepts `start_interval` (docker 25 or newer); others reject a file that has it. */
export function supportsStartInterval({
  program,
  version,
}: {
  readonly program: string;
  readonly version: string;
}): boolean {
  return program === 'docker' && Number(version.split('.')[0]) >= 25;
}

/** A port on 127.0.0.1. */
export function buildPublishedPort(port: number, target: number): object {
  return { host_ip: '127.0.0.1', published: String(port), target, protocol: 'tcp' };
}

/** Compose expands `$` in every value, so it is doubled. */
export function formatComposeFile(comment: string, document: object): string {
  const text = stringify(escapeDollars(document), { lineWidth: 0, aliasDuplicateObjects: false });
  return `# ${comment}\n${text}`;
}

function escapeDollars(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  if (Array.isArray(value)) return value.map(escapeDollars);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, escapeDollars(inner)]));
}
