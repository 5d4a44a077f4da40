import { command } from '../../command-line/command.ts';
import type { HubTool } from '../../contract/hubs/policy-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { quoteWord } from '../new/paste.ts';
import { completeCommands } from '../suggest.ts';
import { definitionKinds } from './tools.ts';

/** `vp hubs approve`. */
export const hubsApproveCommand = command({
  name: 'hubs approve',
  summary: 'review the definition of a tool, prompt or resource that waits, and approve it',
  positionals: [
    hubArgument,
    { name: 'connection', describe: 'name of the connection', required: true },
    { name: 'name', describe: 'name of the tool or prompt, URI of the resource, or URI template', required: true },
  ],
  flags: {
    kind: {
      type: 'string',
      placeholder: '<kind>',
      choices: definitionKinds,
      describe: 'kind of the definition; default tool',
    },
    digest: {
      type: 'string',
      placeholder: '<digest>',
      describe: 'approve the definition that was shown with this digest',
    },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs approve acme mail send', 'show the difference and its digest'],
    ['vp hubs approve acme mail send --digest 2.Jx…', 'approve exactly what was shown'],
  ],
  notes:
    'Without --digest the command only shows what waits. Only owners of the hub can approve. With --json: {"tool": …}.',
  async run({ flags, args: [hub = '', connection = '', name = ''], json, environment, catalogue }) {
    const { stdout } = environment.streams;
    const { hubPolicy } = await openClient(flags, environment);
    const kind = definitionKinds.find((choice) => choice === flags.kind) ?? 'tool';
    if (flags.digest !== undefined) {
      const tool = await hubPolicy.approveTool(hub, { connection, kind, tool: name, digest: flags.digest });
      stdout.write(
        json ? `${JSON.stringify({ tool }, null, 2)}\n` : escapeUnsafeLine(`${name} is approved`).concat('\n'),
      );
      return exitCode.done;
    }
    const tools = await hubPolicy.listTools(hub, { kind });
    const tool = tools.find((candidate) => candidate.connection === connection && candidate.tool === name);
    if (!tool) throw vpError('TOOL_PIN_UNKNOWN', { tool: name.slice(0, 300), connection });
    if (json) stdout.write(`${JSON.stringify({ tool }, null, 2)}\n`);
    else
      stdout.write(
        `${formatReview(tool)}${await completeCommands(formatNextStep(hub, tool), { environment, catalogue })}`,
      );
    return exitCode.done;
  },
});

/** Lines of a definition come from its server. */
function formatReview({ tool, difference, marks, flags }: HubTool): string {
  if (difference.length === 0) return escapeUnsafeLine(`${tool} is approved, nothing waits`).concat('\n');
  const markTexts = marks.map(({ character, count }) => `${character} ×${count}`);
  const flagLines = flags.map(({ message }) => `! ${message}`);
  const marked = markTexts.length > 0 ? [`! marked characters: ${markTexts.join(', ')}`] : [];
  return `${[...difference, '', ...flagLines, ...marked].map(escapeUnsafeLine).join('\n')}\n`;
}

/** Apart from the definition, in which no command is completed. Empty where nothing waits. */
function formatNextStep(hub: string, { connection, kind, tool, waiting, waiting_digest: digest }: HubTool): string {
  if (waiting === null) return '';
  if (digest === null) return 'It is too large to be reviewed, so it cannot be approved.\n';
  const kindFlag = kind === 'tool' ? '' : ` --kind ${kind}`;
  const approval = `vp hubs approve ${hub} ${connection} ${quoteWord(tool)}${kindFlag} --digest ${digest}`;
  return escapeUnsafeLine(`Approve exactly this: \`${approval}\``).concat('\n');
}
