import { type Command, command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { findView, formatView, openViews, viewArgument, viewFlags } from './view-flags.ts';

/** `vp views rename`. */
export const viewsRenameCommand: Command<typeof viewFlags> = command({
  name: 'views rename',
  summary: 'give a view another name; its address stays',
  positionals: [viewArgument, { name: 'name', describe: 'the new name', required: true }],
  flags: viewFlags,
  examples: [['vp views rename smoke "Smoke tests"', 'links to it go on']],
  notes: 'With --json: {"view": {…}}.',
  async run({ flags, args: [text = '', name = ''], json, environment }) {
    const { views, instance } = await openViews(flags, environment);
    const { view_id: id } = await findView(views, instance, text);
    const view = await views.change(instance, id, { name });
    environment.streams.stdout.write(json ? `${JSON.stringify({ view }, null, 2)}\n` : `${formatView(view)}\n`);
    return exitCode.done;
  },
});
