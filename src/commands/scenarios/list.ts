import { command, type FlagDefinitions } from '../../command-line/command.ts';
import type { DeletedScenario, ScenarioEntry } from '../../contract/api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { completeCommands } from '../suggest.ts';
import { catalogueFlags } from './catalogue-flags.ts';
import { assertNoListFilter, readSelection } from './list-selection.ts';

/** The next command needs the ID: other columns are shortened or omitted before one of usual length. */
const minIdWidth = 40;

export function buildCatalogueColumns(nowMs: number, hasOwners: boolean): TableColumn<ScenarioEntry>[] {
  return [
    { title: 'ID', text: ({ scenario_id }) => scenario_id, minWidth: minIdWidth },
    { title: 'TITLE', text: ({ title }) => title, minWidth: 10 },
    { title: 'TAGS', text: ({ tags }) => tags.join(', '), minWidth: 6, optional: true },
    ...(hasOwners
      ? [{ title: 'OWNER', text: ({ owner }: ScenarioEntry) => owner ?? '', minWidth: 6, optional: true }]
      : []),
    { title: 'REVISION', text: ({ revision }) => String(revision), alignRight: true, optional: true },
    { title: 'WRITTEN', text: ({ updated_at }) => formatRelativeTime(updated_at, nowMs), optional: true },
    { title: 'BY', text: ({ updated_by }) => updated_by, minWidth: 5, optional: true },
  ];
}

function buildDeletedColumns(nowMs: number): TableColumn<DeletedScenario>[] {
  const formatTime = (time: string | null): string => (time === null ? '-' : formatRelativeTime(time, nowMs));
  return [
    { title: 'ID', text: ({ scenario_id }) => scenario_id, minWidth: minIdWidth },
    { title: 'TITLE', text: ({ title }) => title, minWidth: 10 },
    { title: 'LAST REVISION', text: ({ revision }) => String(revision), alignRight: true, optional: true },
    { title: 'DELETED', text: ({ deleted_at }) => formatTime(deleted_at) },
    { title: 'BY', text: ({ deleted_by }) => deleted_by ?? '-', minWidth: 5 },
  ];
}

const flags = {
  tag: { type: 'strings', placeholder: '<tag>', describe: 'only scenarios with this tag', kind: 'tag' },
  owner: { type: 'string', placeholder: '<name>', describe: 'only scenarios of this owner' },
  deleted: { type: 'boolean', default: false, describe: 'list the deleted scenarios instead' },
  view: {
    type: 'string',
    placeholder: '<view>',
    describe: 'only the scenarios that this saved view selects',
    kind: 'view',
  },
  ...catalogueFlags,
} as const satisfies FlagDefinitions;

/** `vp scenarios list`. */
export const scenariosListCommand = command({
  name: 'scenarios list',
  summary: 'list the scenarios of an instance’s catalogue',
  positionals: [],
  flags,
  examples: [
    ['vp scenarios list --tag smoke', 'the scenarios with a tag'],
    ['vp scenarios list --owner "checkout team"', 'the scenarios of an owner'],
    ['vp scenarios list --view Mine', 'the scenarios of a saved view; `vp views list` lists views'],
    ['vp scenarios list --deleted', 'what `vp scenarios restore` can restore'],
  ],
  async run({ flags, json, environment, catalogue }) {
    const { streams, variables, clock } = environment;
    if (flags.view !== undefined) assertNoListFilter(flags);
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const selection = await readSelection(client, instance, flags);
    const print = <T extends ScenarioEntry>(scenarios: readonly T[], columns: TableColumn<T>[], emptyText: string) => {
      const paint = paintFor(streams.stdout, variables);
      const text = formatTable(scenarios, columns, streams.stdout, paint) || `${emptyText}\n`;
      streams.stdout.write(json ? `${JSON.stringify({ instance, scenarios }, null, 2)}\n` : text);
    };
    const nowMs = clock.nowMs();
    if (selection.isDeleted) {
      const all = await client.scenarios.listDeleted(instance);
      const emptyText =
        all.length > 0 && selection.description !== ''
          ? `no deleted scenario of ${instance} ${selection.description}`
          : `no deleted scenarios in the catalogue of ${instance}`;
      print(all.filter(selection.matches), buildDeletedColumns(nowMs), emptyText);
    } else {
      const all = await client.scenarios.listAll(instance);
      const emptyText =
        all.length > 0
          ? `no scenario of ${instance} ${selection.description}`
          : `no scenarios in the catalogue of ${instance}; \`vp scenarios push <folder>\` sends some`;
      const columns = buildCatalogueColumns(
        nowMs,
        all.some(({ owner }) => owner !== undefined),
      );
      print(all.filter(selection.matches), columns, await completeCommands(emptyText, { environment, catalogue }));
    }
    return exitCode.done;
  },
});
