import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openStatusPages, statusPageArgument, statusPageFlags } from './status-page-flags.ts';

/** `vp status-pages revoke`. */
export const statusPagesRevokeCommand = command({
  name: 'status-pages revoke',
  summary: 'end a status page and its badge now',
  positionals: [statusPageArgument],
  flags: statusPageFlags,
  examples: [['vp status-pages revoke 4f2c9e1ab0', 'its link shows nothing any more']],
  notes: 'It cannot be undone: a new page has a new link. With --json: {"revoked"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { statusPages, instance } = await openStatusPages(flags, environment);
    await statusPages.revoke(instance, id);
    const text = `status page ${id} of ${instance} is revoked: its link shows nothing, and its badge says unknown\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ revoked: id })}\n` : text);
    return exitCode.done;
  },
});
