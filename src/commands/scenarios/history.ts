import { command } from '../../command-line/command.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';

function buildColumns(id: string, nowMs: number): TableColumn<ScenarioEntry>[] {
  return [
    { title: 'REVISION', text: ({ revision }) => String(revision), alignRight: true },
    { title: 'TITLE', text: ({ title }) => title, minWidth: 10 },
    { title: 'WRITTEN', text: ({ updated_at }) => formatRelativeTime(updated_at, nowMs) },
    { title: 'BY', text: ({ updated_by }) => updated_by, minWidth: 5 },
    {
      title: 'NOTE',
      text: ({ restored_from, scenario_id }) =>
        [
          ...(restored_from === undefined ? [] : [`text of revision ${restored_from}`]),
          ...(scenario_id === id ? [] : [`as ${scenario_id}`]),
        ].join(', '),
      optional: true,
    },
  ];
}

/** `vp scenarios history`. */
export const scenariosHistoryCommand = command({
  name: 'scenarios history',
  summary: 'list the revisions of a scenario, newest first',
  positionals: [
    { name: 'id', describe: 'scenario ID; the scenario may have been deleted', required: true, kind: 'scenario' },
  ],
  flags: catalogueFlags,
  examples: [['vp scenarios history RT-GET-folder', 'which revision to restore with `vp scenarios restore`']],
  async run({ flags, args: [id = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const revisions = await client.scenarios.listRevisions(instance, id);
    const paint = paintFor(streams.stdout, variables);
    const columns = buildColumns(revisions[0]?.scenario_id ?? id, clock.nowMs());
    streams.stdout.write(
      json
        ? `${JSON.stringify({ instance, revisions }, null, 2)}\n`
        : formatTable(revisions, columns, streams.stdout, paint),
    );
    return exitCode.done;
  },
});
