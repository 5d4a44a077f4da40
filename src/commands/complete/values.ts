/**
 * Ids and tags for completion: from the control plane in use, cached for a short time, and from scenario files of this folder.
 * Where a control plane does not answer in time, what it said before is proposed, for a day.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Client, createClient } from '../../client/client.ts';
import type { ValueKind } from '../../command-line/command.ts';
import type { CompletionCandidate, CompletionOptions } from '../../command-line/completion-candidates.ts';
import type { Environment } from '../../environment/environment.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { isObject } from '../../json/json-object.ts';
import { resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { getControlPlaneToken } from '../control-plane/credentials.ts';
import { readInheritedValues } from '../control-plane/current-values.ts';
import { listLocalScenarios } from './local-scenarios.ts';

type ReadFlag = (name: string) => string | undefined;
type Listed = readonly CompletionCandidate[];

/** A control plane on this machine answers in a few milliseconds; a slow one costs this once in `freshMs`. */
const waitMs = 1_000;
const freshMs = 10_000;
const staleMs = 86_400_000;

export function createValueLister(environment: Environment): CompletionOptions['listValues'] {
  return async (kind, flag) => {
    const local = /^(scenario|scenario-or-file|tag)$/.test(kind) ? listLocalScenarios(environment, flag) : [];
    const isLocalOnly = flag('local') !== undefined || environment.args.includes('--local');
    const remote = isLocalOnly ? [] : await listRemote(kind, flag, environment).catch(() => []);
    const values = kind === 'tag' ? local.flatMap(({ tags }) => tags.map(toCandidate)) : local.map(toScenario);
    return unique([...remote, ...values]);
  };
}

const toCandidate = (value: string): CompletionCandidate => ({ value, describe: '' });
const toScenario = ({ id, title }: { id: string; title: string }): CompletionCandidate => ({
  value: id,
  describe: title,
});

function unique(values: Listed): Listed {
  return [...new Map(values.toReversed().map((candidate) => [candidate.value, candidate])).values()].reverse();
}

/** What the control plane has, or had at the last request. */
async function listRemote(kind: ValueKind, flag: ReadFlag, environment: Environment): Promise<Listed> {
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
  const file = join(paths.cache, 'completion', `${hash(`${url} ${instance ?? ''} ${kind}`)}.json`);
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
    return requestValues(kind, client, instance, AbortSignal.timeout(waitMs));
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

async function requestValues(
  kind: ValueKind,
  client: Client,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Listed> {
  if (kind === 'hub') {
    const all = await client.hubs.list({ signal });
    return all.map(({ slug, name }) => ({ value: slug, describe: name }));
  }
  if (kind === 'run') {
    const { items } = await client.runs.list({ limit: 50 }, { signal });
    return items.map((run) => ({ value: run.run_id, describe: `${run.scenario_id} ${run.result ?? run.state}` }));
  }
  const instances = kind === 'instance' || named === undefined ? await client.instances.list({ signal }) : [];
  if (kind === 'instance')
    return instances.map(({ instance_id: value, executor_status: describe }) => ({ value, describe }));
  const instance = named ?? (instances.length === 1 ? instances[0]?.instance_id : undefined);
  if (instance === undefined) return [];
  const scenarios = await client.scenarios.listAll(instance, { signal });
  if (kind === 'tag') return unique(scenarios.flatMap(({ tags }) => tags.map(toCandidate)));
  return scenarios.map(({ scenario_id: value, title: describe }) => ({ value, describe }));
}
