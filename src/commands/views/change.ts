import { type Command, command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
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

/** `vp views delete`. */
export const viewsDeleteCommand: Command<typeof viewFlags> = command({
  name: 'views delete',
  summary: 'delete a view, for everyone who sees it',
  positionals: [viewArgument],
  flags: viewFlags,
  examples: [['vp views delete smoke', 'runs and scenarios stay']],
  notes: 'Links to it say that it is gone. With --json: {"deleted"}.',
  async run({ flags, args: [text = ''], json, environment }) {
    const { views, instance } = await openViews(flags, environment);
    const { view_id: id, name, page } = await findView(views, instance, text);
    await views.remove(instance, id);
    const sentence = escapeUnsafeLine(`view ${name} of ${page} is deleted`);
    environment.streams.stdout.write(json ? `${JSON.stringify({ deleted: id })}\n` : `${sentence}\n`);
    return exitCode.done;
  },
});
