import type { Client } from '../../client/client.ts';
import { command, type FlagValues } from '../../command-line/command.ts';
import { describeBudgetAmounts, describeBudgetPart } from '../../contract/hubs/budget-text.ts';
import type { UsageBudget } from '../../contract/hubs/policy-api.ts';
import type { HubBudget } from '../../contract/hubs/usage-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

const name = 'hubs budgets';
const subjects = ['person', 'token', 'connection', 'hub'] as const;
const periods = ['day', 'month'] as const;
/** As in the schema of policies. */
const [maxBytes, maxTokens] = [1_000_000_000_000_000, 100_000_000_000_000];

const flags = {
  per: {
    type: 'string',
    placeholder: '<what>',
    choices: subjects,
    describe: 'add a budget for each person, token or connection, or for the hub',
  },
  period: {
    type: 'string',
    placeholder: '<time>',
    choices: periods,
    describe: 'with --per: the period, in UTC; default day',
  },
  calls: {
    type: 'number',
    placeholder: '<n>',
    integerRange: [1, 1_000_000_000],
    describe: 'with --per: how many calls',
  },
  bytes: {
    type: 'number',
    placeholder: '<n>',
    integerRange: [1, maxBytes],
    describe: 'with --per: how many bytes of requests and answers',
  },
  tokens: {
    type: 'number',
    placeholder: '<n>',
    integerRange: [1, maxTokens],
    describe: 'with --per: how many tokens, estimated as one for four bytes',
  },
  tools: { type: 'string', placeholder: '<pattern>', describe: 'with --per: count only these tools, such as mail__*' },
  remove: { type: 'number', placeholder: '<n>', integerRange: [0, 29], describe: 'remove the budget with this number' },
  ...controlPlaneFlags,
} as const;

const columns: TableColumn<HubBudget>[] = [
  { title: 'N', text: ({ position }) => String(position), alignRight: true },
  { title: 'BUDGET', text: ({ budget }) => describeBudgetPart(budget), minWidth: 16 },
  { title: 'FOR', text: ({ name: subject }) => subject, minWidth: 8 },
  { title: 'USED', text: (item) => describeBudgetAmounts(item) },
  { title: '%', text: ({ used_percent: percent }) => String(percent), alignRight: true },
  { title: 'UNTIL (UTC)', text: ({ resets_at: until }) => until.slice(0, 16).replace('T', ' '), optional: true },
];

/** `vp hubs budgets`. */
export const hubsBudgetsCommand = command({
  name,
  summary: 'show, add and remove the budgets of a hub',
  positionals: [hubArgument],
  flags,
  examples: [
    ['vp hubs budgets acme', 'how much has been used'],
    ['vp hubs budgets acme --per person --calls 1000', 'limit each person to 1000 calls a day'],
    ['vp hubs budgets acme --per hub --period month --tokens 50000000', 'limit the whole hub'],
    ['vp hubs budgets acme --remove 0', 'remove the budget with the number 0'],
  ],
  notes:
    'Days and months begin at 00:00 UTC. Budgets are part of the policy (`budgets`), which owners change. Owners see the use of ' +
    'everybody, other members their own and that of the hub. When a budget is used up, calls are refused with HUB_BUDGET_USED_UP. With --json: {"budgets", "items"}.',
  async run({ flags: values, args: [hub = ''], json, environment, catalogue }) {
    const { streams, variables } = environment;
    const change = parseChange(values);
    const client = await openClient(values, environment);
    if (change) await changeBudgets(client, hub, change);
    const listed = await client.hubUsage.listBudgets(hub);
    const { budgets, items } = listed;
    if (json) streams.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
    else if (budgets.length === 0) {
      const add = `; add one with \`vp hubs budgets ${hub} --per person --calls 1000\``;
      const text = `${hub} has no budgets${values.remove === undefined ? add : ' any more'}\n`;
      streams.stdout.write(await completeCommands(text, { environment, catalogue }));
    } else {
      const unused = budgets.flatMap((budget, position) =>
        items.some((item) => item.position === position)
          ? []
          : [`${position}: ${describeBudgetPart(budget)}: nothing was used\n`],
      );
      const table =
        items.length === 0 ? '' : formatTable(items, columns, streams.stdout, paintFor(streams.stdout, variables));
      streams.stdout.write(`${table}${unused.join('')}`);
    }
    return exitCode.done;
  },
});

type Change = (budgets: readonly UsageBudget[]) => UsageBudget[];

/** Throws FLAG_INVALID. */
function parseChange(values: FlagValues<typeof flags>): Change | undefined {
  const { per, period, calls, bytes, tokens, tools, remove } = values;
  const hasAmount = (calls ?? bytes ?? tokens) !== undefined;
  if (remove !== undefined) {
    if ((per ?? period ?? tools) !== undefined || hasAmount) throw invalid('--remove', 'takes no other budget');
    return (budgets) => {
      if (remove >= budgets.length) throw invalid('--remove', describeNumbers(budgets.length, remove));
      return budgets.filter((_, index) => index !== remove);
    };
  }
  if (per === undefined) {
    if (hasAmount || (period ?? tools) !== undefined)
      throw invalid('--per', 'is missing: person, token, connection or hub');
    return undefined;
  }
  if (!hasAmount) throw invalid('--calls', 'or --bytes or --tokens must be given');
  const budget: UsageBudget = {
    per: subjects.find((subject) => subject === per) ?? 'hub',
    period: periods.find((known) => known === period) ?? 'day',
    ...(tools === undefined ? {} : { tools }),
    ...(calls === undefined ? {} : { calls }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(tokens === undefined ? {} : { estimated_tokens: tokens }),
  };
  return (budgets) => [...budgets, budget];
}

function describeNumbers(count: number, number: number): string {
  if (count === 0) return 'names no budget: the hub has none';
  return `must be the number of a budget, ${count === 1 ? '0' : `from 0 to ${count - 1}`}, not \`${number}\``;
}

function invalid(flag: string, problem: string) {
  return vpError('FLAG_INVALID', { command: `vp ${name}`, flag, problem });
}

async function changeBudgets({ hubPolicy }: Client, hub: string, change: Change): Promise<void> {
  const { document, revision } = await hubPolicy.getPolicy(hub);
  const budgets = change(document.budgets ?? []);
  const { budgets: _before, ...rest } = document;
  await hubPolicy.setPolicy(hub, {
    document: budgets.length === 0 ? rest : { ...rest, budgets },
    if_revision: revision,
  });
}
