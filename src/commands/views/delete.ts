import { type Command, command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { findView, openViews, viewArgument, viewFlags } from './view-flags.ts';

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
