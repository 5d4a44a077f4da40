/** `vp complete`: what the completion scripts ask. It answers within the time of a key press, or nothing, and never with an error. */
import { command } from '../../command-line/command.ts';
import { completeLine } from '../../command-line/completion-candidates.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { internalCommands } from '../command-groups.ts';
import { createValueLister } from './values.ts';

const maxCandidates = 1_000;

export const completeCommand = command({
  name: 'complete',
  summary: 'for completion scripts: print what the last word of a line may be',
  positionals: [
    { name: 'word', describe: 'the words of the line after `vp`', required: false, many: true, mayBeEmpty: true },
  ],
  flags: {
    next: { type: 'boolean', default: false, describe: 'the cursor is behind a space: a new word begins' },
  },
  examples: [['vp complete -- run --tag sm', 'the tags that begin with sm']],
  notes:
    'Prints a line for each candidate, with its description after a tab, and `:files` if names of files fit too. Exit code 0 in any case.',
  async run({ flags, args, json, environment, catalogue }) {
    const words = flags.next ? [...args, ''] : args;
    const listValues = createValueLister(environment);
    const options = { catalogue, internal: internalCommands, listValues };
    const { candidates, files } = await completeLine(words, options).catch(() => ({ candidates: [], files: true }));
    const lines = candidates
      .slice(0, maxCandidates)
      .map(
        ({ value, describe }) => escapeUnsafeLine(value) + (describe === '' ? '' : `\t${escapeUnsafeLine(describe)}`),
      );
    const text = [...lines, ...(files ? [':files'] : [])].map((line) => `${line}\n`).join('');
    environment.streams.stdout.write(json ? `${JSON.stringify({ candidates, files })}\n` : text);
    return exitCode.done;
  },
});
