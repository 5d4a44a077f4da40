/**
 * Ids and tags for completion: from the control plane in use, cached for a short time, and from scenario files of this folder.
 * Where a control plane does not answer in time, what it said before is proposed, for a day.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient } from '../../client/client.ts';
import type { ValueKind } from '../../command-line/command.ts';
import type { CompletionCandidate, CompletionOptions } from '../../command-line/completion-candidates.ts';
import type { Environment } from '../../environment/environment.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { isObject } from '../../json/json-object.ts';
import { resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { getControlPlaneToken } from '../control-plane/credentials.ts';
import { readInheritedValues } from '../control-plane/current-values.ts';
import { listLocalScenarios } from './local-scenarios.ts';
import { ownedKinds, requestValues, unique } from './remote-values.ts';

type ReadFlag = (name: string) => string | undefined;
type Line = { readonly flag: ReadFlag; readonly args: readonly string[] };
type Listed = readonly CompletionCandidate[];

/** A control plane on this machine answers in a few milliseconds; a slow one costs this once in `freshMs`. */
const waitMs = 1_000;
const freshMs = 10_000;
const staleMs = 86_400_000;

export function createValueLister(environment: Environment): CompletionOptions['listValues'] {
  return async (kind, flag, args) => {
    const local = /^(scenario|scenario-or-file|tag)$/.test(kind) ? listLocalScenarios(environment, flag) : [];
    const isLocalOnly = flag('local') !== undefined || environment.args.includes('--local');
    const remote = isLocalOnly ? [] : await listRemote(kind, { flag, args }, environment).catch(() => []);
    const values = kind === 'tag' ? local.flatMap(({ tags }) => tags.map(toCandidate)) : local.map(toScenario);
    return unique([...remote, ...values]);
  };
}

const toCandidate = (value: string): CompletionCandidate => ({ value, describe: '' });
const toScenario = ({ id, title }: { id: string; title: string }): CompletionCandidate => ({
  value: id,
  describe: title,
});

/** What the control plane has, or had at the last request. */
async function listRemote(kind: ValueKind, { flag, args }: Line, environment: Environment): Promise<Listed> {
  const { variables, clock, paths } = environment;
  const inherited = await readInheritedValues(environment);
  const address = flag('control-plane') ?? variables.VP_CONTROL_PLANE ?? inherited.controlPlane()?.value;
  const flags = {
    'control-plane': address ?? 'http://127.0.0.1:7700',
    ca: flag('ca') ?? variables.VP_CA,
    'allow-insecure': environment.args.includes('--allow-insecure') || variables.VP_ALLOW_INSECURE !== undefined,
  };
  const { url, fetch } = await resolveControlPlane(flags, environment);
  const instance = flag('instance') ?? variables.VP_INSTANCE ?? inherited.instance(url)?.value;
  const owner = ownedKinds.has(kind) ? (args[0] ?? '') : (instance ?? '');
  const file = join(paths.cache, 'completion', `${hash(`${url} ${owner} ${kind}`)}.json`);
  const nowMs = clock.nowMs();
  const cached = readCache(file);
  if (cached && nowMs - cached.atMs < freshMs) return cached.values;
  const previous = cached && nowMs - cached.atMs < staleMs ? cached.values : [];
  const values = await requestInTime().catch(() => previous);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileAtomically(file, JSON.stringify(values));
  return values;

  async function requestInTime(): Promise<Listed> {
    const client = createClient({ baseUrl: url, token: getControlPlaneToken(environment, url), fetch });
    return requestValues(kind, { client, instance, owner: args[0], signal: AbortSignal.timeout(waitMs) });
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

function readCache(file: string): { readonly values: Listed; readonly atMs: number } | undefined {
  try {
    const values: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(values) && values.every(isCandidate) ? { values, atMs: statSync(file).mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

function isCandidate(value: unknown): value is CompletionCandidate {
  if (!isObject(value) || !('value' in value) || !('describe' in value)) return false;
  return typeof value.value === 'string' && typeof value.describe === 'string';
}
