import { command } from '../../command-line/command.ts';
import type { SavedView } from '../../contract/views-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { formatViewFilters, openViews, viewFlags } from './view-flags.ts';

const columns: readonly TableColumn<SavedView>[] = [
  { title: 'VIEW', text: ({ name }) => name, minWidth: 8 },
  { title: 'PAGE', text: ({ page }) => page },
  { title: 'FILTERS', text: formatViewFilters, minWidth: 12 },
  { title: 'FOR', text: ({ shared }) => (shared ? 'everyone' : 'you') },
  { title: 'BY', text: ({ updated_by: by }) => by, optional: true },
  { title: 'ID', text: ({ view_id: id }) => id, optional: true },
];

/** `vp views list`. */
export const viewsListCommand = command({
  name: 'views list',
  summary: 'list saved views: named filters of runs and scenarios',
  positionals: [],
  flags: viewFlags,
  examples: [['vp views list', 'those of everyone, and your own']],
  notes:
    'The console has them above the lists of runs and scenarios; `vp runs --view <view>` lists the runs of one. ' +
    'With --json: {"views": […]}.',
  async run({ flags, json, environment }) {
    const { streams, variables } = environment;
    const { views: client, instance } = await openViews(flags, environment);
    const views = await client.list(instance);
    const table = formatTable(views, columns, streams.stdout, paintFor(streams.stdout, variables));
    const none = `${instance} has no saved views; \`vp views save smoke --find tag:smoke\` saves one\n`;
    streams.stdout.write(json ? `${JSON.stringify({ views }, null, 2)}\n` : table || none);
    return exitCode.done;
  },
});
