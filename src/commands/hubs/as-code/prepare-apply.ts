/** What `vp hubs diff` and `vp hubs apply` share: the file, the hub, and the plan between them. */
import { resolve } from 'node:path';
import type { Client } from '../../../client/client.ts';
import { createIdentityClient } from '../../../client/identity.ts';
import type { HubFile } from '../../../contract/hubs/hub-file.ts';
import type { Environment } from '../../../environment/environment.ts';
import { findSuggestion } from '../../../errors/suggestion.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { readTextStart } from '../../../files/read-text-start.ts';
import { getSystemErrorCode } from '../../../files/system-error.ts';
import { builtInMemoryName } from '../../../hub/connections/connection.ts';
import { findUnknownTools, formatUnknownTool } from '../../../hub/policy/unknown-tools.ts';
import { fetchWhoami } from '../../login/fetch-whoami.ts';
import { formatPath, maxHubFileBytes, type ParsedHubFile, parseHubFile } from './hub-file-text.ts';
import { findHubState, type HubState } from './hub-state.ts';
import { type HubPlan, planChanges } from './plan-changes.ts';
import type { SchemaProblem } from './schema-problems.ts';

export type PrepareOptions = {
  readonly prunes: boolean;
  readonly sendsSecrets: boolean;
  readonly acceptsUnknownNames: boolean;
};

export type PreparedApply = {
  readonly parsed: ParsedHubFile;
  readonly state: HubState | undefined;
  readonly plan: HubPlan;
  readonly personIds: ReadonlyMap<string, string>;
};

/** Throws HUB_FILE_UNREADABLE, HUB_FILE_INVALID. */
export function readHubFile(name: string, { cwd }: Pick<Environment, 'cwd'>): ParsedHubFile {
  try {
    return parseHubFile(readTextStart(resolve(cwd, name), maxHubFileBytes + 1), name);
  } catch (error) {
    const code = getSystemErrorCode(error);
    if (code === undefined) throw error;
    const reason = code === 'ENOENT' ? 'there is no such file' : code;
    throw vpError('HUB_FILE_UNREADABLE', { file: name, reason }, { cause: error });
  }
}

/** Changes nothing. Throws HUB_FILE_INVALID with what the hub would refuse, as far as that can be seen before. */
export async function prepareApply(
  client: Client,
  parsed: ParsedHubFile,
  name: string,
  { acceptsUnknownNames, ...options }: PrepareOptions,
): Promise<PreparedApply> {
  const { file } = parsed;
  const [state, whoami, people] = await Promise.all([
    findHubState(client, file.hub.slug),
    fetchWhoami(client.transport),
    file.members ? createIdentityClient(client.transport).listPeople() : [],
  ]);
  const personIds = new Map(people.map(({ email, person_id: id }) => [email.toLowerCase(), id]));
  const plan = planChanges(file, state, { ...options, caller: whoami.person?.email ?? '' });
  const problems = [
    ...plan.problems,
    ...findUnknownPeople(file, personIds),
    ...(acceptsUnknownNames ? [] : await findUnknownNames(client, file, state)),
  ];
  if (problems.length > 0) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const diagnostics = problems.map(({ path, problem, isKey }) => ({
      message: `${formatPath(path)} ${problem}`,
      ...parsed.locate(path, isKey),
    }));
    throw vpError('HUB_FILE_INVALID', { file: name, problem: count }, { diagnostics });
  }
  return { parsed, state, plan, personIds };
}

function findUnknownPeople({ members = [] }: HubFile, personIds: ReadonlyMap<string, string>): SchemaProblem[] {
  return members.flatMap(({ email }, index) => {
    if (personIds.has(email.toLowerCase())) return [];
    const nearest = findSuggestion(email, personIds.keys());
    const hint = nearest === undefined ? '; invite the person first' : `; did you mean ${nearest}?`;
    return [{ path: `/members/${index}/email`, problem: `belongs to no account of this control plane${hint}` }];
  });
}

/** Names in the policy that neither the hub nor the file has. */
async function findUnknownNames(
  { hubPolicy }: Client,
  { hub, policy, connections = [] }: HubFile,
  state: HubState | undefined,
): Promise<SchemaProblem[]> {
  if (!policy) return [];
  const items = state ? await hubPolicy.listTools(hub.slug, { kind: 'any' }) : [];
  const names = [...(state?.connections ?? []), ...connections, { name: builtInMemoryName }].map(({ name }) => name);
  const listNames = (name: string, expectedKind: 'tool' | 'prompt'): string[] =>
    items.flatMap(({ connection, kind, tool }) => (connection === name && kind === expectedKind ? [tool] : []));
  const listed = [...new Set(names)].map((name) => ({
    name,
    tools: listNames(name, 'tool'),
    prompts: listNames(name, 'prompt'),
  }));
  return findUnknownTools(policy, state?.policy.document ?? {}, listed).map((pattern) => ({
    path: findPatternPath(policy, pattern),
    problem: `names no tool of the hub: ${formatUnknownTool(pattern, listed)}; for one that is still to come, add --accept-unknown-names`,
  }));
}

/** The pointer of the first text of the policy that is the pattern. */
function findPatternPath(policy: object, pattern: string): string {
  const search = (value: unknown, path: string): string | undefined => {
    if (value === pattern) return path;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, member] of Object.entries(value)) {
      const match = search(member, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      if (match !== undefined) return match;
    }
    return undefined;
  };
  return search(policy, '/policy') ?? '/policy';
}
