/** What a control plane lists for each kind of value. */

import type { Client } from '../../client/client.ts';
import type { ValueKind } from '../../command-line/command.ts';
import type { CompletionCandidate } from '../../command-line/completion-candidates.ts';
import { describeRunState } from '../../run/state.ts';

type Listed = readonly CompletionCandidate[];

/** `instance`: the one that was named; `owner`: the first argument, such as the hub of an approval. */
export type ValueContext = {
  readonly client: Client;
  readonly instance: string | undefined;
  readonly owner: string | undefined;
  readonly signal: AbortSignal;
};

/** Kinds that the first argument owns. */
export const ownedKinds: ReadonlySet<ValueKind> = new Set(['approval', 'agent-token']);

const maxListed = 50;

export function unique(values: Listed): Listed {
  return [...new Map(values.toReversed().map((candidate) => [candidate.value, candidate])).values()].reverse();
}

/** The named instance, or the only one. */
async function chooseInstance({ client, instance, signal }: ValueContext): Promise<string | undefined> {
  if (instance !== undefined) return instance;
  const [first, second] = await client.instances.list({ signal });
  return second === undefined ? first?.instance_id : undefined;
}

type InstanceReader = (client: Client, instance: string, signal: AbortSignal) => Promise<Listed>;

function ofInstance(read: InstanceReader): (context: ValueContext) => Promise<Listed> {
  return async (context) => {
    const instance = await chooseInstance(context);
    return instance === undefined ? [] : read(context.client, instance, context.signal);
  };
}

const listScenarios: InstanceReader = async ({ scenarios }, instance, signal) =>
  (await scenarios.listAll(instance, { signal })).map(({ scenario_id: value, title: describe }) => ({
    value,
    describe,
  }));

const readers: Readonly<Record<ValueKind, (context: ValueContext) => Promise<Listed>>> = {
  hub: async ({ client, signal }) =>
    (await client.hubs.list({ signal })).map(({ slug, name }) => ({ value: slug, describe: name })),
  run: async ({ client, signal }) =>
    (await client.runs.list({ limit: maxListed }, { signal })).items.map((run) => ({
      value: run.run_id,
      describe: `${run.scenario_id} ${describeRunState(run.state, run.failure_kind)}`,
    })),
  instance: async ({ client, signal }) =>
    (await client.instances.list({ signal })).map(({ instance_id: value, executor_status: describe }) => ({
      value,
      describe,
    })),
  scenario: ofInstance(listScenarios),
  'scenario-or-file': ofInstance(listScenarios),
  tag: ofInstance(async ({ scenarios }, instance, signal) =>
    unique(
      (await scenarios.listAll(instance, { signal })).flatMap(({ tags }) =>
        tags.map((value) => ({ value, describe: '' })),
      ),
    ),
  ),
  suite: ofInstance(async ({ suites }, instance, signal) =>
    (await suites.list(instance, { limit: maxListed }, { signal })).items.map((suite) => ({
      value: suite.suite_id,
      describe: [suite.name, suite.outcome ?? suite.state].filter((text) => text !== null).join(' '),
    })),
  ),
  failure: ofInstance(async ({ failures }, instance, signal) =>
    (await failures.list(instance, { limit: maxListed }, { signal })).items.map((failure) => ({
      value: failure.failure_id,
      describe: [failure.scenario_id, failure.check].filter((text) => text !== null).join(': '),
    })),
  ),
  schedule: ofInstance(async ({ schedules }, instance, signal) =>
    (await schedules.list(instance, { signal })).map(({ schedule_id: value, definition }) => ({
      value,
      describe: definition.description ?? '',
    })),
  ),
  view: ofInstance(async ({ views }, instance, signal) =>
    (await views.list(instance, { signal })).map(({ view_id: value, name, page }) => ({
      value,
      describe: `${name}, of ${page}`,
    })),
  ),
  channel: async ({ client, signal }) =>
    (await client.notifications.list({ signal })).map(({ channel: value, kind: describe }) => ({ value, describe })),
  token: async ({ client, signal }) =>
    (await client.hubs.listOwnTokens({ signal })).map(({ token_id: value, name: describe }) => ({ value, describe })),
  'agent-token': async ({ client, owner, signal }) =>
    owner === undefined
      ? []
      : (await client.agentTokens.list(owner, { signal })).map(({ agent_token_id: value, role: describe }) => ({
          value,
          describe,
        })),
  approval: async ({ client, owner, signal }) =>
    owner === undefined
      ? []
      : (await client.hubApprovals.list(owner, { signal })).map(({ approval: value, connection, tool, person }) => ({
          value,
          describe: `${connection}__${tool} by ${person}`,
        })),
};

export function requestValues(kind: ValueKind, context: ValueContext): Promise<Listed> {
  return readers[kind](context);
}
