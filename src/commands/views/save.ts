import { command, type FlagDefinitions } from '../../command-line/command.ts';
import { viewPages } from '../../contract/view-limits.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  findView,
  formatView,
  openViews,
  parseViewPage,
  toViewFilters,
  viewFilterFlags,
  viewFlags,
} from './view-flags.ts';

const flags = {
  ...viewFilterFlags,
  page: { type: 'string', placeholder: '<page>', default: 'runs', choices: viewPages, describe: 'runs or scenarios' },
  personal: { type: 'boolean', default: false, describe: 'only you see it' },
  replace: { type: 'boolean', default: false, describe: 'replace the filters of the view with this name or id' },
  ...viewFlags,
} as const satisfies FlagDefinitions;

/** `vp views save`. */
export const viewsSaveCommand = command({
  name: 'views save',
  summary: 'save filters of runs or scenarios as a view',
  positionals: [{ name: 'name', describe: 'as the console shows it', required: true }],
  flags,
  examples: [
    ['vp views save "Failed today" --result failed --since today', 'for everyone in the instance'],
    ['vp views save Mine --find "owner:ana" --page scenarios --personal', 'for yourself'],
    ['vp views save "Failed today" --result failed --since 24h --replace', 'other filters for a view'],
  ],
  notes:
    'Of runs: --find, --result, --scenario, --since. Of scenarios: --find, --deleted. A name is used once on a page. ' +
    'With --json: {"view": {…}}.',
  async run({ flags, args: [name = ''], json, environment }) {
    if (flags.replace && flags.personal) throw vpError('FLAG_CONTRADICTED', { flag: '--personal', other: '--replace' });
    const page = parseViewPage(flags.page);
    const filters = toViewFilters(flags);
    const { views, instance } = await openViews(flags, environment);
    const view = flags.replace
      ? await views.change(instance, (await findView(views, instance, name, page)).view_id, { filters })
      : await views.create(instance, { page, name, filters, shared: !flags.personal });
    const text = `${formatView(view)}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ view }, null, 2)}\n` : text);
    return exitCode.done;
  },
});
